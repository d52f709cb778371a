/** Panel states with branches, versions of prompts, other sessions that wait, and the page of the sessions. */
import type { NotePart } from '../../src/core/model/messages.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import type { SessionEntry, SessionsPage } from '../../src/protocol/sessions-page.ts';
import { DIFF, DOT, host, type NamedState, Script, session } from './panel-states.ts';

/** These are functions, because the panel states import this module and this module imports their helpers. */
export function twoPrompts(): Script {
  const mention: NotePart = { type: 'note', about: 'mention', text: 'tide', ref: { kind: 'file', path: 'src/deep/water/tide-table.ts' } };
  const other: NotePart = { type: 'note', about: 'mention', text: 'harbour', ref: { kind: 'file', path: 'src/harbour.ts' } };
  const first = 'Rename tideAt to heightAt, as in this picture.';
  const script = new Script()
    .run('agent', first)
    .add({
      type: 'message_added',
      message: {
        role: 'user',
        content: [{ type: 'text', text: first }, { type: 'image', mediaType: 'image/png', data: DOT }, mention, other],
      },
    })
    .calls('apply_patch', 'Edit 2 files', { patch: '…' }, { effect: 'mutating', path: 'src/tide.ts' });
  const changes = ['src/tide.ts', 'src/harbour.ts'].map((path) => ({ path, kind: 'edit' as const, added: 4, removed: 2, diff: DIFF }));
  return script
    .add({ type: 'file_changed', callId: script.lastCall, changes })
    .returns('apply_patch', 'Updated 2 files.')
    .turn()
    .says('`tideAt` is `heightAt` now.')
    .finishes()
    .run('ask', 'Which tests cover it?')
    .turn()
    .says('`test/tide.test.ts` covers it.')
    .finishes();
}

/** Returns a message about a session that has two versions of its first prompt and is a branch of another session. */
export function branches(index: number, parent?: string): ToPanel {
  const versions = { 'run-1': { index, sessionIds: ['session-1', 'session-2'] } };
  return { type: 'branches', sessionId: 'session-1', versions, ...(parent && { parent: { id: 'session-0', title: parent } }) };
}

export const OTHER: ToPanel = {
  type: 'other_waits',
  session: { id: 'session-9', title: 'Move the harbour lights into a table', text: 'Edit src/light.ts?' },
};

const AT = Date.UTC(2026, 10, 20, 9, 15);

export function entries(): SessionEntry[] {
  const entry = (id: string, title: string, more: Partial<SessionEntry> = {}): SessionEntry => ({
    id,
    title,
    status: 'done',
    changedAt: AT - 3_600_000 * id.length,
    mode: 'ask',
    model: 'gpt-6.1-sol',
    ...more,
  });
  return [
    entry('pinned', 'Notes for the release of the tide tables', { isPinned: true }),
    entry('shown', 'Tide levels in the harbour', { isShown: true, status: 'running', mode: 'agent' }),
    entry('waits', 'Move the harbour lights into a table', { status: 'waiting', mode: 'agent' }),
    entry('branch', 'Rename tideAt to heightAt in all of the packages, their tests and their documentation', {
      isFork: true,
      mode: 'agent',
    }),
    entry('failed', 'Where is draught used?', { status: 'failed' }),
    entry('paused', 'Plan the new quay', { status: 'paused', mode: 'plan', model: 'Offline' }),
    entry('other', 'A session of a colleague', { isImported: true }),
  ];
}

/** The sessions of this workspace, of another one, and of one whose folder is unknown. */
export function everywhere(): SessionEntry[] {
  const here = { name: 'harbour', folders: ['/home/kim/code/harbour'] };
  const other = { key: 'lights-0123456789ab', name: 'lights', folders: ['/home/kim/code/clients/lighthouses-of-the-north/lights'] };
  const [pinned, shown, waits, branch, failed, ...rest] = entries() as [
    SessionEntry,
    SessionEntry,
    SessionEntry,
    SessionEntry,
    SessionEntry,
  ];
  return [
    ...[pinned, shown].map((each) => ({ ...each, workspace: here })),
    ...[waits, branch].map((each) => ({ ...each, workspace: other })),
    { ...failed, workspace: { key: 'quay-0123456789ab', name: 'quay', folders: [] } },
    ...rest.map((each: SessionEntry) => ({ ...each, workspace: here })),
  ];
}

export function sessionsPage(data: Partial<SessionsPage> = {}): ToPanel[] {
  return [
    host('agent'),
    session(twoPrompts(), false),
    { type: 'show_page', name: 'sessions' },
    { type: 'page', name: 'sessions', data: { sessions: entries(), ...data } },
  ];
}

export function manySessions(count: number): SessionEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `session-${index}`,
    title: `Session number ${index}`,
    status: 'done' as const,
    changedAt: AT - index * 60_000,
    mode: 'ask' as const,
    model: 'Offline',
  }));
}

export function sessionStates(): Record<string, NamedState> {
  const conversation = [host('agent'), session(twoPrompts(), false)];
  const lines = [{ sessionId: 'failed', line: 'const draught = ship.draught + tideAt(station, now);', from: 'tool' as const }];
  return {
    'prompt-edit': { messages: conversation, press: ['Edit and send again'] },
    'prompt-versions': { messages: [...conversation, branches(1)] },
    'branch-of': { messages: [...conversation, branches(0, 'Tide levels in the harbour'), OTHER] },
    'branch-choice': { messages: [host('agent'), session(changedLast(twoPrompts()), false)], press: ['Branch from here'] },
    'branch-step': {
      messages: [host('agent', { steps: 'full' }), session(twoPrompts(), false)],
      press: ['Done: Edit 2 files'],
    },
    'regenerate-choice': { messages: [host('agent'), session(changedLast(), false)], press: ['Regenerate'] },
    'imported-run': { messages: [host('agent'), session(twoPrompts().add({ type: 'session_imported' }), false)] },
    sessions: { messages: sessionsPage({ deleted: { id: 'x', title: 'An old idea' } }) },
    'sessions-found': {
      messages: sessionsPage({ found: { words: 'draught', ids: ['failed', 'branch'], lines, isComplete: true } }),
      type: 'draught',
    },
    'sessions-rename': { messages: sessionsPage(), press: ['Rename: Where is draught used?'] },
    'sessions-everywhere': { messages: sessionsPage({ sessions: everywhere(), everywhere: true }) },
    'sessions-none': { messages: sessionsPage({ sessions: [] }) },
  };
}

function changedLast(before = new Script()): Script {
  const script = before.run('agent', 'Rename tideAt to heightAt').calls('apply_patch', 'Edit src/tide.ts', {}, { effect: 'mutating' });
  return script
    .add({
      type: 'file_changed',
      callId: script.lastCall,
      changes: [{ path: 'src/tide.ts', kind: 'edit', added: 4, removed: 2, diff: DIFF }],
    })
    .returns('apply_patch', 'Updated 1 file.')
    .turn()
    .says('`tideAt` is `heightAt` now.')
    .finishes();
}
