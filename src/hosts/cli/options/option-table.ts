import { HELP_WIDTH } from './wrap-help.ts';

/** The options of runs, for the help and for the completion of shells: what is written before a description, and the description. */
export const OPTION_TABLE: readonly (readonly [flags: string, text: string])[] = [
  ['--folder DIR', 'work in this folder; repeat it for several (default: the current folder)'],
  ['-m, --model P/MODEL', 'for example openai/gpt-6.1-sol (default: $KEDGE_MODEL, else offline)'],
  ['--agent NAME', 'run as this agent, which can only narrow the mode, tools and limits; none = without one (see kedge agents)'],
  ['--base-url URL', "the address of the model's server"],
  [
    '-y, --yes',
    'do not ask before edits in the folder; deletions, protected files, and files that the confirmed plan does not name still need approval',
  ],
  [
    '--allow RULE, --deny RULE',
    'path:src/**, command:"npm test", host:example.com, tool:create_file, server:github or mcp:github/create_issue; repeat it for several. Dangerous actions still need approval',
  ],
  [
    '--policy FILE',
    'read rules from a file: {"rules": [{"effect": "deny", "path": "db/**"}]}; the folder’s own .kedge/policy.json can only deny or ask',
  ],
  [
    '--mcp-config FILE',
    'MCP servers whose tools agent may use: {"mcpServers": {"name": {"command": "…"}}}; if a server over HTTP requires a sign-in, the address for your browser is printed',
  ],
  ['--run-plan', 'run the proposed plan without asking'],
  ['--require-plan', 'make agent propose a plan first, and change nothing until you confirm it'],
  ['--worktree', 'with agent: work in a Git worktree, so that your files stay as they are until you have reviewed the changes'],
  ['-q, --quiet', 'print only the answer, and what needs your attention'],
  ['--bell', 'ring the terminal bell when the run waits for you, has failed or is done'],
  ['-o, --output FILE', 'write the plan to a Markdown file'],
  [
    '--max-turns N, --max-calls N, --max-minutes N, --max-tokens N, --max-usd N',
    'pause the run at this limit; kedge --continue continues it with the same amount again',
  ],
  ['--max-output-tokens N', 'the maximum length of one answer of the model'],
  ['--temperature N', 'the temperature, from 0 to 2, for models that support it'],
  ['--system WORDS', 'add words to the instructions of the model'],
  [
    '--schema FILE',
    'with ask or agent: print only JSON that matches the JSON Schema in this file; the model is asked again, at most twice, if its answer is not valid',
  ],
  ['--price IN/OUT', 'the price of the model in US dollars per million tokens, if it is unknown: 0.5/2'],
  ['--surroundings LIST', 'facts that are sent to the model: none, or a list (default: system,date,folders,git)'],
  ['--no-require-plan, --no-bell, --no-quiet', 'turn off what the configuration file turns on'],
  ['--continue [ID]', 'with a request: add the request to that session'],
  ['--session ID', 'with kedge chat: continue this session'],
  ['--plain', 'with kedge chat: write only lines, for screen readers: nothing is drawn over again'],
  ['--raw', 'with kedge mcp: also offer the reading tools'],
  ['--http PORT', 'with kedge mcp: serve over HTTP on this computer'],
  [
    '-c, --collections NAMES',
    'with kedge mcp and kedge docs ask: the collections of documents that can be asked, such as handbook,manuals (default: all)',
  ],
  ['--no-global', 'with kedge mcp and kedge docs ask: leave out global collections'],
  ['-u, --use-case WORDS', 'with kedge docs ask: what the answer is for'],
  ['-i, --interactive', 'with kedge docs ask: keep the conversation'],
  ['--verbose', 'with kedge docs ask: print each step as it happens'],
  ['--json', 'print every event as a line of JSON'],
  ['-h, --help', 'show this help, or the help on a command'],
  ['-v, --version', 'print the version'],
];

export type Flag = { name: string; short?: string; argument?: string; text: string };

/** Lists every option by itself: `--allow RULE, --deny RULE` is two options. */
export function flags(table = OPTION_TABLE): Flag[] {
  return table.flatMap(([written, text]) => {
    const [, short] = /(?:^|\s)-(\w),/.exec(written) ?? [];
    const long = [...written.matchAll(/--([\w-]+)(?: (\[?[A-Z][\w/]*\]?))?/g)];
    return long.map(([, name = '', argument]) => ({ name, text, ...(short && { short }), ...(argument && { argument }) }));
  });
}

const INDENT = 27;

/** Returns the lines of the help. */
export function optionLines(): string {
  return OPTION_TABLE.map(([written, text]) => {
    const lines = [''];
    for (const word of text.split(' ')) {
      const last = lines.at(-1) as string;
      if (last && INDENT + last.length + 1 + word.length > HELP_WIDTH) lines.push(word);
      else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
    const description = lines.join(`\n${' '.repeat(INDENT)}`);
    const head = `  ${written}`;
    return head.length < INDENT ? `${head.padEnd(INDENT)}${description}` : `${head}\n${' '.repeat(INDENT)}${description}`;
  }).join('\n');
}

/** The options of `kedge mcp` and `kedge docs ask`. */
export type DocumentsValues = {
  'use-case'?: string;
  collections?: string[];
  'no-global'?: boolean;
  interactive?: boolean;
  verbose?: boolean;
};

/** The commands of `kedge docs` that send a prompt of the Documents page. */
export type DocumentsTemplate = 'summarize' | 'worksheet' | 'compare';
