/** Writes a commit message for the staged changes into the input box of source control. Nothing is committed. */
import * as vscode from 'vscode';
import { SessionError } from '../../../app/session/session-error.ts';
import { textOf } from '../../../core/model/messages.ts';
import { note } from '../../../core/model/notes.ts';
import type { SessionRule } from '../../../core/session/grant-scope.ts';
import type { Kedge } from '../kedge.ts';

/** The parts of the API of VS Code's Git extension that are used. */
type Repository = {
  rootUri: vscode.Uri;
  inputBox: { value: string };
  state: { indexChanges: readonly unknown[] };
  log(options: { maxEntries: number }): Promise<readonly { message: string }[]>;
};
type GitExtension = { getAPI(version: 1): { repositories: readonly Repository[] } };

const RECENT = 8;

/** `source` is the source control whose button was pressed. */
export async function writeCommitMessage(kedge: Kedge, source: unknown): Promise<void> {
  const repository = await repositoryOf(source);
  const at = kedge.fs.locate(repository.rootUri);
  if (!at) throw new SessionError('The repository is outside the open folders. Open its folder first.');
  if (kedge.settings.model('ask').provider === 'offline')
    throw new SessionError('Offline cannot write commit messages. Run "Kedge: Connect a Model…" first.');
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Kedge: Writing a commit message…', cancellable: true },
    async (_progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      const shown = await kedge.sessions.current();
      const diff = await kedge.assistant.stagedChanges(shown, at, stop.signal);
      const text = promptFor(await recentMessages(repository), repository.inputBox.value);
      const message = await answer(kedge, shown.state.rules, text, diff, stop.signal);
      if (message && !stop.signal.aborted) repository.inputBox.value = message;
    },
  );
}

async function repositoryOf(source: unknown): Promise<Repository> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  const git = (await extension?.activate())?.getAPI(1);
  const root = (source as Partial<vscode.SourceControl> | undefined)?.rootUri;
  const all = git?.repositories ?? [];
  const repository = root ? all.find(({ rootUri }) => String(rootUri) === String(root)) : all[0];
  if (!repository) throw new SessionError('There is no Git repository. Open a folder with a repository.');
  if (repository.state.indexChanges.length === 0) throw new SessionError('No changes are staged. Stage the changes to commit first.');
  return repository;
}

/** Returns the first lines of the latest commit messages. The new message follows their style. */
async function recentMessages(repository: Repository): Promise<string[]> {
  const commits = await repository.log({ maxEntries: RECENT }).catch(() => []);
  return commits.map(({ message }) => message.split('\n', 1)[0] ?? '');
}

function promptFor(recent: readonly string[], begun: string): string {
  return [
    'Write the commit message for the staged changes below. Answer with the message only, without quotes or code fences: a subject of at most 72 characters, and a body only if the reasons are not obvious. Do not use tools.',
    recent.length > 0 && `Follow the style of the last commits:\n${recent.map((line) => `- ${line}`).join('\n')}`,
    begun.trim() && `The user has begun with: ${begun.trim()}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/**
 * Asks the model in a separate session, which has these `rules` and is deleted afterwards. The run is in Ask mode, so it cannot change
 * anything.
 */
async function answer(kedge: Kedge, rules: readonly SessionRule[], text: string, diff: string, signal: AbortSignal): Promise<string> {
  const session = await kedge.assistant.newSession();
  for (const rule of rules) session.note({ type: 'session_permission_set', ...rule });
  const stop = () => void session.stop();
  signal.addEventListener('abort', stop, { once: true });
  // The user does not see this run, so its questions are answered automatically.
  const unsubscribe = session.subscribe((event) => {
    if (event.type === 'approval_requested') void session.answerApproval(event.approvalId, { approve: false });
    if (event.type === 'question_asked') void session.answerQuestion(event.questionId, { words: 'Use your own judgment.' });
  });
  try {
    signal.throwIfAborted();
    await session.prompt({ text, mode: 'ask', attachments: [note('mention', `The staged changes:\n${diff}`)] });
    const { lastRun, messages } = session.state;
    if (lastRun?.outcome === 'stopped') return '';
    const last = messages.findLast(({ role }) => role === 'assistant');
    const said = last ? cleaned(textOf(last)) : '';
    if (lastRun?.outcome !== 'answered' || !said)
      throw new SessionError('The model did not write a commit message. Try again, or choose another model.');
    return said;
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', stop);
    await kedge.assistant.removeSession(session.id);
  }
}

/** Models often put the message into a code block although the prompt asks them not to. */
function cleaned(text: string): string {
  const fenced = /^\s*```\w*\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text;
  return fenced.trim().replace(/^"([^"]*)"$/, '$1');
}
