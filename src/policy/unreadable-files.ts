/** Determines which of many files need approval to be read. */
import type { Aliases } from './path-normalization.ts';
import { matchesTool, type SourcedRule, touchesAny } from './rules.ts';
import { isSecret } from './secrets.ts';

const READER = { name: 'read_file', source: 'builtin' };

/**
 * Returns a function that returns true if `read_file` would be denied or need approval for a path. `call` is the tool that is about to
 * read many files: rules without a path that apply to this tool were evaluated with the call itself, so they do not exclude each file
 * again.
 */
export function withheldFilter(rules: readonly SourcedRule[], call?: string, aliases?: Aliases): (path: string) => boolean {
  const tightening = rules.filter(
    ({ effect, tool, path, command, host, server, action = 'read' }) =>
      effect !== 'allow' &&
      action === 'read' &&
      command === undefined &&
      host === undefined &&
      server === undefined &&
      (tool === undefined || matchesTool(tool, READER)) &&
      !(path === undefined && call !== undefined && (tool === undefined || matchesTool(tool, { name: call, source: 'builtin' }))),
  );
  if (tightening.some(({ path }) => path === undefined)) return () => true;
  const isRuled = touchesAny(tightening.flatMap(({ path }) => path ?? []));
  if (!aliases) return (path) => isSecret(path) || isRuled(path);
  return (path) => aliases.places(path).some(isSecret) || aliases.names(path).some(isRuled);
}

/** Returns a function that returns true if `read_file` would be denied for a path. Such files are not offered to the user. */
export function deniedFilter(rules: readonly SourcedRule[], { names }: Aliases): (path: string) => boolean {
  const denying = rules.filter(
    ({ effect, tool, command, host, server, action = 'read' }) =>
      effect === 'deny' &&
      action === 'read' &&
      command === undefined &&
      host === undefined &&
      server === undefined &&
      (tool === undefined || matchesTool(tool, READER)),
  );
  if (denying.some(({ path }) => path === undefined)) return () => true;
  const globs = denying.flatMap(({ path }) => path ?? []);
  if (globs.length === 0) return () => false;
  const isDenied = touchesAny(globs);
  return (path) => names(path).some(isDenied);
}
