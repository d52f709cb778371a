/** Reads the staged changes of a repository for a model, without files that may not be sent. */
import { MAX_MENTION_CHARS } from '../../core/model/mentions.ts';
import { visibleText } from '../../core/words/visible-text.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import type { Location } from '../../workspace/types.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { AssistantPorts } from '../ports.ts';
import { withheldFilterOf } from '../run/judge.ts';
import { SessionError } from '../session/session-error.ts';

/**
 * Returns the diff of the staged changes in the repository at `directory`, without hidden, denied and secret files. @throws SessionError if
 * nothing is left to show @throws ToolError if Git would run a program that the repository's configuration names
 */
export async function stagedChanges(ports: AssistantPorts, directory: Location, signal: AbortSignal): Promise<string> {
  if (!ports.changes || !ports.trusted()) throw new SessionError('Staged changes can be read only in a trusted workspace.');
  const workspace = new Workspace(await withIgnoreFiles(ports.fileSystem()), withheldFilterOf(ports));
  const isWithheld = workspace.withheldFiles();
  const { folder, path: base } = directory;
  const diff = await ports.changes(directory, (path) => isWithheld({ folder, path: base ? `${base}/${path}` : path }), signal, true);
  if (!diff)
    throw new SessionError('No staged change can be sent to the model. Stage changes first; hidden and secret files are never sent.');
  return visibleText(diff.length > MAX_MENTION_CHARS ? `${diff.slice(0, MAX_MENTION_CHARS)}\n[cut off here]` : diff);
}
