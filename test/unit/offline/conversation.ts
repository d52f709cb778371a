/** An in-memory workspace with the documented behavior of the tools, and a conversation with the offline model in it. */
import assert from 'node:assert/strict';
import picomatch from 'picomatch';
import { callsOf, type Message, type NotePart, type ToolCall, type ToolResult, textOf, user } from '../../../src/core/model/messages.ts';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import type { PlanDraft } from '../../../src/core/plan/plan.ts';
import { createAdapter } from '../../../src/offline/index.ts';

export type Files = Record<string, string>;
export type Mode = 'ask' | 'plan' | 'agent' | 'step';
/** The combined input fields of all tools. */
type Input = Record<'path' | 'glob' | 'pattern' | 'content' | 'from' | 'to', string> & { edits: Edit[] } & {
  from_line?: number;
  to_line?: number;
  regex?: boolean;
  case_sensitive?: boolean;
  whole_word?: boolean;
};
type Edit = { old_text: string; new_text: string; all?: boolean };
type Tool = (input: Input) => string;

const LOOK = ['read_file', 'list_directory', 'find_files', 'search_text'];
const WRITE = ['create_file', 'replace_in_file', 'move_file', 'delete_file'];
const OFFERED: Record<Mode, string[]> = {
  ask: LOOK,
  plan: [...LOOK, 'propose_plan'],
  agent: [...LOOK, ...WRITE],
  step: [...LOOK, ...WRITE, 'update_step'],
};

export type Options = {
  mode?: Mode;
  /** Replaces a tool's result with an error; returns undefined to let the tool run. */
  refuse?: (call: ToolCall) => string | undefined;
  maxHits?: number;
  maxLines?: number;
  history?: Message[];
};

export type Told = {
  answer: string;
  calls: { name: string; input: unknown }[];
  turns: number;
  files: Files;
  plan: PlanDraft | undefined;
  updates: string[];
  messages: Message[];
};

export async function tell(files: Files, said: string | NotePart, options: Options = {}): Promise<Told> {
  const now = { ...files };
  const tools = toolsOf(now, options);
  const adapter = createAdapter({});
  const messages: Message[] = [...(options.history ?? []), typeof said === 'string' ? user(said) : { role: 'user', content: [said] }];
  const told: Told = { answer: '', calls: [], turns: 0, files: now, plan: undefined, updates: [], messages };
  const specs = OFFERED[options.mode ?? 'ask'].map((name) => ({ name, description: '', inputSchema: {} }));
  for (;;) {
    if (++told.turns > 200) throw new Error('The conversation does not end.');
    const request: ModelRequest = { model: 'offline', system: '', messages, tools: specs };
    const content: (ToolCall | { type: 'text'; text: string })[] = [];
    let stop = '';
    for await (const event of adapter.stream(request, new AbortController().signal)) {
      if (event.type === 'part') content.push(event.part as ToolCall);
      if (event.type === 'stop') stop = event.reason;
    }
    messages.push({ role: 'assistant', content, from: { provider: 'offline', model: 'offline' }, stop: stop as 'end_turn' });
    const calls = callsOf(messages.at(-1));
    if (calls.length === 0) {
      told.answer = textOf(messages.at(-1) as Message);
      return told;
    }
    const results = calls.map((call): ToolResult => {
      if (!OFFERED[options.mode ?? 'ask'].includes(call.name)) throw new Error(`${call.name} is not offered.`);
      told.calls.push({ name: call.name, input: call.input });
      const result: ToolResult = { type: 'tool_result', callId: call.id, name: call.name, content: [] };
      try {
        const refusal = options.refuse?.(call);
        if (refusal !== undefined) throw new Error(refusal);
        const tool = tools[call.name] as Tool;
        result.content = [{ type: 'text', text: tool(call.input as Input) }];
        if (call.name === 'propose_plan') told.plan = call.input as PlanDraft;
        if (call.name === 'update_step') {
          const { step, status } = call.input as { step: number; status: string };
          told.updates.push(`${step} ${status}`);
        }
      } catch (error) {
        result.content = [{ type: 'text', text: (error as Error).message }];
        result.isError = true;
      }
      return result;
    });
    messages.push({ role: 'tool', content: results });
    if (told.plan) {
      told.answer = textOf(messages.at(-2) as Message);
      return told;
    }
  }
}

function toolsOf(files: Files, { maxHits = 300, maxLines = 1000 }: Options): Record<string, Tool> {
  const paths = () => Object.keys(files).sort();
  const textAt = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error(`There is no file ${path}. Use find_files to look for it.`);
    return text;
  };
  const linesAt = (path: string): string[] => {
    const lines = textAt(path).split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines;
  };
  const matching = (glob?: string) => paths().filter((path) => glob === undefined || picomatch.isMatch(path, glob));

  return {
    read_file({ path, from_line = 1, to_line = Number.POSITIVE_INFINITY }) {
      const lines = linesAt(path);
      if (lines.length === 0) return '[the file is empty]';
      if (from_line > lines.length) throw new Error(`The file has ${lines.length} lines only.`);
      const last = Math.min(to_line, lines.length, from_line + maxLines - 1);
      const out = lines.slice(from_line - 1, last).map((line, index) => `${from_line + index}\t${line}`);
      if (last < Math.min(to_line, lines.length))
        out.push(`[lines ${from_line}-${last} of ${lines.length}; read on with from_line ${last + 1}]`);
      else if (from_line > 1 || last < lines.length) out.push(`[lines ${from_line}-${last} of ${lines.length}]`);
      return out.join('\n');
    },
    list_directory({ path = '' }) {
      const prefix = path === '' || path === '.' ? '' : `${path}/`;
      const inside = paths().filter((each) => each.startsWith(prefix));
      if (inside.length === 0) throw new Error(`There is no directory ${path}.`);
      const names = inside.map((each) => each.slice(prefix.length));
      const count = (name: string) => names.filter((each) => each.startsWith(name)).length;
      const entries = new Set(names.map((each) => (each.includes('/') ? `${each.split('/')[0]}/` : each)));
      const remark = (name: string) => (name.endsWith('/') ? `${name} (${count(name)} ${count(name) === 1 ? 'file' : 'files'})` : name);
      return [...entries].sort().map(remark).join('\n');
    },
    find_files({ glob }) {
      return matching(glob).join('\n') || `No files match ${glob}.`;
    },
    search_text({ pattern, regex = false, case_sensitive = false, whole_word = false, glob }) {
      const source = regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      const wanted = new RegExp(whole_word ? `\\b(?:${source})\\b` : source, case_sensitive ? '' : 'i');
      let hits = 0;
      const groups = matching(glob).flatMap((path) => {
        const lines = linesAt(path).flatMap((line, index) => (wanted.test(line) && ++hits <= maxHits ? [`  ${index + 1}: ${line}`] : []));
        return lines.length > 0 ? [[path, ...lines].join('\n')] : [];
      });
      if (hits === 0) return `No matches for ${pattern}.`;
      if (hits > maxHits) groups.push(`[more than ${maxHits} hits; narrow the search]`);
      return groups.join('\n\n');
    },
    create_file({ path, content }) {
      if (files[path] !== undefined) throw new Error(`${path} exists already.`);
      files[path] = content;
      return `Created ${path}.`;
    },
    replace_in_file({ path, edits }) {
      files[path] = applyEdits(textAt(path), edits);
      return `Edited ${path}.`;
    },
    move_file({ from, to }) {
      if (files[to] !== undefined) throw new Error(`${to} exists already.`);
      files[to] = textAt(from);
      delete files[from];
      return `Moved ${from} to ${to}.`;
    },
    delete_file({ path }) {
      textAt(path);
      delete files[path];
      return `Deleted ${path}.`;
    },
    propose_plan: () => 'The plan was shown to the user, who decides.',
    update_step: () => 'Noted.',
  };
}

/** Each old text must occur once, or with `all` at least once. All edits refer to the original and must not overlap. */
export function applyEdits(original: string, edits: readonly Edit[]): string {
  const spans = edits.flatMap(({ old_text, new_text, all }) => {
    if (old_text === '' && original === '') return [{ start: 0, end: 0, text: new_text }];
    const starts: number[] = [];
    for (let at = original.indexOf(old_text); at >= 0; at = original.indexOf(old_text, at + old_text.length)) starts.push(at);
    if (old_text === '' || starts.length === 0) throw new Error(`old_text is not in the file: ${old_text}`);
    if (starts.length > 1 && !all) throw new Error(`old_text occurs ${starts.length} times: ${old_text}`);
    return starts.map((start) => ({ start, end: start + old_text.length, text: new_text }));
  });
  spans.sort((a, b) => a.start - b.start);
  let text = '';
  let at = 0;
  for (const span of spans) {
    if (span.start < at) throw new Error('The edits overlap.');
    text += original.slice(at, span.start) + span.text;
    at = span.end;
  }
  return text + original.slice(at);
}

/** A small sample project. */
export const FILES: Files = {
  'README.md': '# Tidewatch\n\nComputes the tides.\n\n## Use\n\nCall `tideLevel`.\n',
  'package.json': '{\n  "name": "tidewatch",\n  "main": "src/index.ts",\n  "scripts": {\n    "test": "node --test"\n  }\n}\n',
  'src/index.ts': "export { tideLevel } from './tide.ts';\nexport * from './moon.ts';\n",
  'src/moon.ts': '// The moon.\nexport const moonPhase = (at: Date) => at.getDate() % 28;\n',
  'src/tide.ts': [
    '/** How high the sea stands. */',
    "import { moonPhase } from './moon.ts';",
    'const meanTideLevel = 2; // tideLevels vary',
    'export function tideLevel(at: Date): number {',
    '  return meanTideLevel + moonPhase(at);',
    '}',
    'export class TideTable {',
    '  // TODO: sort',
    '  add(at: Date) {',
    '    this.rows.push(tideLevel(at));',
    '  }',
    '  addAgain(at: Date) {',
    '    this.rows.push(tideLevel(at));',
    '  }',
    '}',
    '',
  ].join('\n'),
  'test/tide.test.ts': "import { tideLevel } from '../src/tide.ts';\n\ntest('tideLevel', () => assert.equal(tideLevel(new Date(0)), 3));\n",
};

/** @throws Error unless the answer contains all parts */
export function has(answer: string, ...parts: string[]): void {
  for (const part of parts) assert.ok(answer.includes(part), `${JSON.stringify(part)} is not in:\n${answer}`);
}
