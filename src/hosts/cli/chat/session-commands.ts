/** The commands of a conversation that concern sessions and what their runs changed. */
import { UsageError } from '../options/arguments.ts';
import { diffText } from '../output/diff-text.ts';
import { oneLine } from '../output/terminal.ts';
import type { Chat } from './chat.ts';

const MAX_CHOICES = 9;
export const SESSION_VERBS = ['search', 'rename', 'pin', 'unpin', 'delete'];

export async function undoLast(chat: Chat, words: string): Promise<void> {
  const { state } = chat.session;
  const last = [...state.runs.values()].findLast(({ runId, changed }) => changed && !state.undone.has(runId));
  if (!words && !last) throw new UsageError('This session has no changes that can be undone.');
  await (await import('../undo.ts')).undo(chat.kedge.assistant, words || last?.runId);
}

export async function review({ session, front }: Chat): Promise<void> {
  const run = [...session.state.runs.values()].findLast(({ changed }) => changed);
  if (!run) throw new UsageError('No run of this session has changed files.');
  const [{ readRun }, { landedChanges }] = await Promise.all([
    import('../../../core/view/session-view.ts'),
    import('../../../core/view/run-changes.ts'),
  ]);
  for (const change of landedChanges(readRun(session.events, run.runId))) {
    const found = await session.changes.review(run.runId, change.path);
    if ('problem' in found) front.say(`${oneLine(change.path)}: ${found.problem}`);
    else front.prompter.show(diffText([{ ...change, ...found }], front.paint));
  }
}

export async function listSessions({ kedge }: Chat, words: string): Promise<void> {
  if (words && !SESSION_VERBS.some((verb) => words.startsWith(`${verb} `)))
    throw new UsageError(
      `Use /sessions alone, or with ${SESSION_VERBS.join(', ')}: /sessions search tide. For more commands: kedge sessions --help`,
    );
  const { sessions } = await import('../sessions/sessions.ts');
  await sessions({ kedge, words: words.split(/\s+/).filter(Boolean), values: {}, signal: new AbortController().signal });
}

export async function resume(chat: Chat, words: string): Promise<void> {
  // The agent of the other session stays.
  chat.agent = undefined;
  const { findSession } = await import('../sessions/find.ts');
  if (words) return chat.open(await findSession(chat.kedge.assistant, words));
  const others = (await chat.kedge.assistant.sessions()).filter(({ id }) => id !== chat.session.id).slice(0, MAX_CHOICES);
  if (others.length === 0) throw new UsageError('This folder has no other sessions.');
  const rows = others.map(({ id, title, changedAt }, index) => `  ${index + 1}  ${oneLine(title, 60)}  ${timeOf(changedAt)}  ${id}`);
  const choices = others.map((_, index) => ({ key: `${index + 1}`, label: '' }));
  const keys = [...choices, { key: 'n', label: 'none' }];
  const answer = await chat.front.prompter.ask(
    `${rows.join('\n')}\nWhich session? 1-${others.length}, n = none > `,
    new AbortController().signal,
    keys,
  );
  const chosen = others[Number(answer) - 1];
  if (chosen) await chat.open(await findSession(chat.kedge.assistant, chosen.id));
}

function timeOf(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' });
}
