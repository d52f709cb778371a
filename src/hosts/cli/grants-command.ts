/** `kedge grants`: lists and removes the permissions that the user granted permanently for a folder. */
import { type Permission, permissionText } from '../../core/session/grant-scope.ts';
import type { Kedge } from './kedge.ts';
import { UsageError } from './options/arguments.ts';
import { EXIT } from './run-session.ts';

/** Parses the arguments after `grants`. @throws UsageError if they are invalid */
export function parseClear([word, which, ...more]: readonly string[]): { clear?: number | 'all' } {
  if (word === undefined) return {};
  if (word === 'clear' && which === undefined) return { clear: 'all' };
  if (word === 'clear' && more.length === 0 && /^[1-9]\d{0,3}$/.test(which ?? '')) return { clear: Number(which) };
  throw new UsageError(
    'Use kedge grants to list permissions, kedge grants clear to remove all of them, or kedge grants clear 2 to remove the second one.',
  );
}

export async function manageGrants({ grants, assistant }: Kedge, clear: number | 'all' | undefined): Promise<number> {
  if (clear === undefined) {
    process.stdout.write(`${describeGrants(grants.list())}\n`);
    return EXIT.answered;
  }
  const removed = grants.clear(clear === 'all' ? undefined : clear);
  assistant.revokeGrants();
  if (removed.length === 0 && clear !== 'all')
    throw new UsageError(`There is no permission ${clear}. To list the permissions, run kedge grants.`);
  process.stdout.write(
    removed.length === 0 ? 'There were no permissions to remove.\n' : `Removed permissions:\n${describeGrants(removed)}\n`,
  );
  return EXIT.answered;
}

export function describeGrants(covers: readonly Permission[]): string {
  if (covers.length === 0) return 'No permissions are stored for this folder.';
  return covers.map((each, index) => `${index + 1}  ${permissionText(each)}`).join('\n');
}
