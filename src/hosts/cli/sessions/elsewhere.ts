/** Lists the sessions of other folders with their folders, in which they can be continued. */
import type { Assistant } from '../../../app/assistant.ts';
import type { SessionElsewhere } from '../../../app/library/elsewhere.ts';
import { shellWord } from '../run-end.ts';

/**
 * Returns a sentence that says in which folder the session whose id begins with `wanted` can be continued, or undefined unless there is
 * exactly one such session.
 */
export async function whereIs(assistant: Assistant, wanted: string): Promise<string | undefined> {
  const library = await assistant.library();
  const [first, ...others] = (await library.elsewhere()).filter(({ id }) => id.startsWith(wanted));
  if (!first || others.length > 0) return undefined;
  const { id, folders } = first;
  if (folders.length === 0) return `The session ${id} belongs to ${placeText(first)}. Go to that folder and try again.`;
  const options = folders.map((folder) => `--folder ${shellWord(folder)}`).join(' ');
  return `The session ${id} belongs to ${placeText(first)}. Go to that folder and try again, or add ${options}.`;
}

/** Returns the paths of the folders or, if they are unknown, their name. */
export function placeText({ folders, workspace }: Pick<SessionElsewhere, 'folders' | 'workspace'>): string {
  return folders.length > 0 ? folders.join(', ') : `a folder named ${workspace}`;
}
