/**
 * Reads earlier parts of the conversation again. The log keeps the content that a compaction removed, and the parts that were cut out of
 * long results.
 */
import * as z from 'zod';
import { breaks } from '../core/breaks.ts';
import { type Tool, ToolError, type ToolOutput } from '../core/run/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { countOf, defineTool } from './define-tool.ts';
import { type Entry, entriesOf, type History, hiddenPaths, withheldEntries } from './recall-entries.ts';

/** Matches the number of a message or result, such as `#12` or `#14.2`. Any other text is searched for. */
const ADDRESS = /^#\d+(\.\d+)?$/;
const MAX_CHARS = 60_000;
/** The maximum length of a search text in characters. A longer search would take too long. */
const MAX_QUERY = 500;
const MAX_HITS = 40;
const MAX_HITS_EACH = 5;
const SNIPPET = 200;

/** `history` returns the state of the session at the time of the call. */
export function recallTool(workspace: Workspace, history: () => History): Tool {
  return defineTool({
    name: 'recall',
    description: 'Reread earlier parts of this session: #12, #14.2, or words to search.',
    effect: 'readonly',
    input: z.object({
      what: z.string(),
      from_line: z.int().min(1).optional(),
    }),
    async prepare({ what, from_line = 1 }) {
      const words = what.trim();
      if (words.length > MAX_QUERY) throw new ToolError(`Search for at most ${MAX_QUERY} characters.`);
      if (words === '') throw new ToolError('Give a number such as "#12", or words to search for.');
      if (!ADDRESS.test(words)) {
        return {
          title: `Search this session for ${words}`,
          targets: [],
          execute: async ({ mostCharacters }) => ({ content: await search(workspace, history(), words, mostCharacters) }),
        };
      }
      const entries = await entriesAt(history(), words, workspace);
      return {
        title: `Read ${words} of this session again`,
        // The policy judges this call like the calls that returned the results.
        targets: entries.flatMap(({ targets }) => targets.filter(({ access }) => access === 'read')),
        repeats: entries.flatMap(({ calls }) => calls),
        execute: async ({ mostCharacters = MAX_CHARS }) => read(entries, from_line, mostCharacters),
      };
    },
  });
}

/** @throws ToolError if a file is hidden from models now. The policy judges everything else. */
async function entriesAt(history: History, wanted: string, workspace: Workspace): Promise<Entry[]> {
  const found = (await entriesOf(history, workspace)).filter(({ address }) => address === wanted || address.startsWith(`${wanted}.`));
  if (found.length === 0)
    throw new ToolError(
      `There is no message ${wanted}. This session has messages #1 to #${history.messages.length}; search them with words.`,
    );
  const secret = found.find((entry) => entry.secret);
  if (secret)
    throw new ToolError(`${secret.address} holds content that the user approved for one call only. Call the tool again if you need it.`);
  const isHidden = hiddenPaths(workspace);
  for (const { path } of found.flatMap(({ targets }) => targets))
    if (await isHidden(path)) throw new ToolError(`${path} is excluded by .kedgeignore.`);
  return found;
}

function read(entries: readonly Entry[], from: number, most: number): ToolOutput {
  const images = entries.flatMap(({ content }) => content.filter((part) => part.type === 'image'));
  const lines = entries
    .flatMap(({ title, content }) => [
      ...(entries.length > 1 ? [`${title}:`] : []),
      ...content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ])
    .join('\n')
    .split('\n');
  if (from > lines.length) throw new ToolError(`It has only ${countOf(lines.length, 'line')}. Use a smaller from_line.`);
  const shown: string[] = [];
  let size = 0;
  for (let at = from - 1; at < lines.length; at++) {
    const line = lines[at] as string;
    if (shown.length > 0 && size + line.length > most - SNIPPET) break;
    shown.push(
      line.length > most
        ? `${line.slice(0, most - SNIPPET)}… [${line.length - most + SNIPPET} more characters; search for words in it]`
        : line,
    );
    size += line.length + 1;
  }
  const last = from + shown.length - 1;
  const rest = last < lines.length ? [`[lines ${from}-${last} of ${lines.length}; read on with from_line ${last + 1}]`] : [];
  return { content: [{ type: 'text', text: [...shown, ...rest].join('\n') }, ...images] };
}

/** Lists the lines that contain all words or, if there are none, those that contain the most words. */
async function search(workspace: Workspace, history: History, query: string, most = MAX_CHARS): Promise<string> {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))];
  const isWithheld = withheldEntries(history, workspace);
  const hits: { matched: number; text: string }[] = [];
  const pause = breaks();
  for (const entry of await entriesOf(history, workspace)) {
    await pause();
    const { title, content, isCopy } = entry;
    if (isCopy) continue;
    const own: typeof hits = [];
    content.forEach((part) => {
      if (part.type !== 'text') return;
      part.text.split('\n').forEach((line, index) => {
        const lower = line.toLowerCase();
        const matched = words.filter((word) => lower.includes(word)).length;
        if (matched > 0) own.push({ matched, text: `${title}, line ${index + 1}: ${snippet(line, lower, words)}` });
      });
    });
    if (own.length === 0 || (await isWithheld(entry))) continue;
    own.sort((a, b) => b.matched - a.matched);
    hits.push(...own.slice(0, MAX_HITS_EACH));
  }
  const best = hits.reduce((most, { matched }) => Math.max(most, matched), 0);
  const found = hits.filter(({ matched }) => matched === best).map(({ text }) => text);
  if (found.length === 0) return `Nothing in this session contains ${words.join(' or ')}.`;
  const shown: string[] = [];
  let size = 0;
  // The newest hits are the most useful.
  for (const hit of found.slice(-MAX_HITS).reverse()) {
    size += hit.length + 1;
    if (size > most - SNIPPET && shown.length > 0) break;
    shown.unshift(hit);
  }
  const left = found.length - shown.length;
  return [...(left > 0 ? [`[${countOf(left, 'earlier hit')} left out; use more words]`] : []), ...shown].join('\n');
}

function snippet(line: string, lower: string, words: readonly string[]): string {
  if (line.length <= SNIPPET) return line.trim();
  const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((index) => index >= 0)) - SNIPPET / 4);
  return `…${line.slice(at, at + SNIPPET).trim()}…`;
}
