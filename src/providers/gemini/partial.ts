/** One piece of a call's streamed arguments. Pieces of a string arrive in order under the same path. */
export type PartialArg = { jsonPath?: string; stringValue?: string; numberValue?: number; boolValue?: boolean; nullValue?: unknown };

/** Limits array indexes: an array with a single very large index would be serialized with all its empty elements. */
const MAX_INDEX = 100_000;

/** Sets a piece at its path (`$.edits[0].text`, `$['a b']`), creating missing objects and arrays. */
export function setPartial(args: Record<string, unknown>, piece: PartialArg): void {
  const steps = [...(piece.jsonPath ?? '').matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g)].map(
    ([, name, index, single, double]) => (index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index)),
  );
  if (steps.some((step) => typeof step === 'number' && step > MAX_INDEX)) return;
  const last = steps.pop();
  if (last === undefined || steps.includes('__proto__') || last === '__proto__') return;
  let place = args as Record<string | number, unknown>;
  for (const [index, step] of steps.entries()) {
    const next = place[step];
    if (next === null || typeof next !== 'object') place[step] = typeof (steps[index + 1] ?? last) === 'number' ? [] : {};
    place = place[step] as Record<string | number, unknown>;
  }
  const before = place[last];
  if (piece.stringValue !== undefined) place[last] = typeof before === 'string' ? before + piece.stringValue : piece.stringValue;
  else place[last] = piece.numberValue ?? piece.boolValue ?? null;
}
