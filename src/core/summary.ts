import type { Message } from './messages.ts';
import { callsOf, textOf } from './messages.ts';

/** What a run did so far, for the user of a paused run: counted from its messages, so that it costs nothing and cannot fail. */
export function describeProgress(since: readonly Message[]): string {
  const calls = since.flatMap(callsOf);
  const paths = new Set<string>();
  const counts = new Map<string, number>();
  for (const call of calls) {
    counts.set(call.name, (counts.get(call.name) ?? 0) + 1);
    const path = (call.input as { path?: unknown } | undefined)?.path;
    if (call.name === 'read_file' && typeof path === 'string') paths.add(path);
  }
  const lines: string[] = [];
  if (calls.length > 0) {
    const parts = [...counts].map(([name, count]) => `${name}${count > 1 ? ` × ${count}` : ''}`);
    lines.push(`So far ${calls.length} tool ${calls.length === 1 ? 'call' : 'calls'}: ${parts.join(', ')}.`);
  }
  if (paths.size > 0) {
    const named = [...paths].slice(0, 8);
    lines.push(`Read: ${named.join(', ')}${paths.size > named.length ? ` and ${paths.size - named.length} more` : ''}.`);
  }
  const thought = since.map((message) => (message.role === 'assistant' ? textOf(message).trim() : '')).findLast(Boolean);
  if (thought) lines.push(`Last thought: ${thought.length > 600 ? `${thought.slice(0, 600)}…` : thought}`);
  return lines.join('\n\n') || 'Nothing was done yet.';
}
