/** Panel states with mentions. */

import type { MentionChoice } from '../../src/core/model/mentions.ts';
import type { MentionRef, NotePart } from '../../src/core/model/messages.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { host, type NamedState, Script, session as shown } from './panel-states.ts';

// All of these are functions, because the panel states import this module and this module imports their helpers.
function file(path: string): MentionRef {
  return { kind: 'file', path };
}
function lines(): MentionRef {
  return { kind: 'selection', path: 'src/deep/water/tide-table.ts', lines: { from: 10, to: 24 } };
}

export function choices(): MentionChoice[] {
  return [
    { ref: lines(), label: 'selection', detail: 'src/deep/water/tide-table.ts:10-24', insert: '@selection' },
    { ref: { kind: 'problems' }, label: 'problems', detail: 'Errors and warnings', insert: '@problems' },
    ...['src/tide.ts', 'src/deep/water/tide-table.ts', 'packages/harbour/src/components/tide-gauge-with-a-long-name.component.tsx'].map(
      (path) => ({
        ref: file(path),
        label: path.slice(path.lastIndexOf('/') + 1),
        detail: path.slice(0, path.lastIndexOf('/')),
        insert: `@${path}`,
      }),
    ),
    { ref: { kind: 'folder', path: 'src/tides' }, label: 'tides/', detail: 'src', insert: '@src/tides/' },
    {
      ref: { kind: 'symbol', path: 'src/tide.ts', name: 'tideAt', lines: { from: 3, to: 9 } },
      label: 'tideAt',
      detail: 'function in src/tide.ts:3',
      insert: '@tideAt',
    },
    ...Array.from({ length: 8 }, (_, index) => ({
      ref: file(`src/tide-${index}.ts`),
      label: `tide-${index}.ts`,
      detail: 'src',
      insert: `@src/tide-${index}.ts`,
    })),
  ];
}

function session(title: string): MentionChoice {
  return {
    ref: { kind: 'session', path: title, name: title },
    label: title,
    detail: 'Nov 20',
    insert: `@"session:${title}"`,
  };
}

function resource(name: string, server: string): MentionChoice {
  const uri = `tides://tables/${name}`;
  return { ref: { kind: 'resource', path: uri, name, server }, label: name, detail: `${server} · A table`, insert: `@${server}:${uri}` };
}

export function adding(ref: MentionRef, question?: { key: string; reason: string }): ToPanel {
  return {
    type: 'add_mention',
    ref,
    ...(question && { question }),
  };
}

export function secret() {
  return { key: '.env', reason: '.env may contain keys or passwords.' };
}

function mention(ref: MentionRef): NotePart {
  return { type: 'note', about: 'mention', text: '1\tone', ref };
}

export function mentioned(): Script {
  const content = [
    { type: 'text' as const, text: 'Why does @src/tide.ts differ from @selection?' },
    ...[file('src/tide.ts'), lines(), { kind: 'folder', path: 'src/tides' } as const, { kind: 'problems' } as const].map(mention),
  ];
  return new Script()
    .run('ask', 'Why does @src/tide.ts differ from @selection?')
    .add({ type: 'message_added', message: { role: 'user', content } })
    .turn()
    .says('`tideAt` rounds, and the table does not.')
    .finishes();
}

export function mentionStates(): Record<string, NamedState> {
  const opened = (): ToPanel[] => [host('ask'), shown(new Script(), false)];
  const chips = [file('src/tide.ts'), lines(), { kind: 'folder', path: 'src/tides' } as const, { kind: 'problems' } as const];
  return {
    'mention-list': { messages: [...opened(), { type: 'mentions_found', query: 'ti', choices: choices() }], type: 'Why is @tid' },
    'mention-sessions': {
      messages: [
        ...opened(),
        adding({ kind: 'session', path: 'a', name: 'Fix the tide table of the southern harbour' }),
        adding(resource('berths.csv', 'harbour').ref, {
          key: 'x',
          reason: 'Reading it calls the MCP server harbour, which runs outside Kedge.',
        }),
        {
          type: 'mentions_found',
          query: 'session',
          choices: [
            session('Fix the tide table of the southern harbour'),
            session('Paint the harbour'),
            { ref: { kind: 'session' }, label: 'session', detail: 'An earlier session: type its title', insert: '@session:' },
            resource('berths.csv', 'harbour'),
            resource('a-table-with-a-very-long-name-of-the-northern-harbour.csv', 'harbour'),
          ],
        },
      ],
      type: 'Go on with @session',
    },
    'mention-chips': {
      messages: [...opened(), ...chips.map((ref) => adding(ref)), { type: 'suggest_mention', ref: file('src/harbour.ts') }],
      type: 'Compare these',
    },
    'mention-suggested': { messages: [...opened(), { type: 'suggest_mention', ref: lines() }] },
    'mention-secret': {
      messages: [...opened(), adding(file('src/tide.ts')), adding(file('.env'), secret())],
      type: 'What is the key for?',
    },
    'mention-sent': { messages: [host('ask'), shown(mentioned(), false)] },
  };
}
