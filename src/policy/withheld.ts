/** Which files nothing may be told of without a question, for many files at once. */
import { matchesTool, type SourcedRule, touchesAny } from './rules.ts';
import { isSecret } from './secrets.ts';

const READER = { name: 'read_file', source: 'builtin' };

/**
 * Whether reading a file would ask or be denied. `call` is a tool that looks into many files: a rule without a path that fits it was judged when
 * it was called, and does not close each of the files again.
 */
export function withheldBy(rules: readonly SourcedRule[], call?: string): (path: string) => boolean {
  const tightening = rules.filter(
    ({ effect, tool, path, command, host, server }) =>
      effect !== 'allow' &&
      command === undefined &&
      host === undefined &&
      server === undefined &&
      (tool === undefined || matchesTool(tool, READER)) &&
      !(path === undefined && call !== undefined && (tool === undefined || matchesTool(tool, { name: call, source: 'builtin' }))),
  );
  if (tightening.some(({ path }) => path === undefined)) return () => true;
  const isRuled = touchesAny(tightening.flatMap(({ path }) => path ?? []));
  return (path) => isSecret(path) || isRuled(path);
}
