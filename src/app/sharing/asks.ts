/** Says in plain words what a package asks for. Nothing of it is given by installing the package. */
import { CATEGORY_OF } from '../../agents/categories.ts';
import type { AgentDefinition } from '../../agents/definition.ts';
import { narrowingLines } from '../../agents/describe.ts';
import { lineIn } from '../../agents/front-matter.ts';
import { holdsKey } from '../../core/keys.ts';
import { MODE_NAME } from '../../core/modes.ts';
import { marksIn, visibleLine, visibleText } from '../../core/words/visible-text.ts';
import type { ItemKind, PackageItem } from './contents.ts';
import type { PackageFile } from './shared-package.ts';

const MAX_NAMED = 20;
const MAX_NAME = 100;

/** Returns one sentence for each thing that the package asks for, with hidden characters marked. */
export function asksOf(items: readonly PackageItem[], files: readonly PackageFile[]): string[] {
  return [
    ...items.flatMap((item) => (item.agent ? agentAsks(item.agent) : otherAsks(item))),
    ...files.flatMap(scriptAsk),
    ...commandAsks(files),
    ...hostAsks(files),
    ...files.flatMap(hiddenAsk),
    ...files.flatMap(({ path, text }) => (holdsKey(text) ? [`${path} contains text that looks like a key or a password.`] : [])),
  ];
}

const CAN: Readonly<Record<string, string>> = {
  __proto__: null as never,
  edit: 'change files',
  commands: 'run commands',
  web: 'fetch web pages',
  memory: 'propose entries of the memory',
  agents: 'give tasks to further runs',
};

function agentAsks(agent: AgentDefinition): string[] {
  const { name, mode, tools, models, problems } = agent;
  const say = (text: string) => `The agent ${name}: ${text}`;
  const categories = new Set((tools ?? Object.keys(CAN)).map((tool) => CATEGORY_OF[tool] ?? tool));
  const writes = mode === undefined || mode === 'agent';
  const can = Object.entries(CAN).flatMap(([category, text]) => (categories.has(category) && (writes || category === 'web') ? [text] : []));
  const servers = [
    ...new Set((tools ?? []).flatMap((tool) => (tool.startsWith('mcp:') ? [tool.slice(4).split('/', 1)[0] as string] : []))),
  ];
  return [
    ...narrowingLines(agent).map(say),
    ...(can.length > 0 ? [say(`It can ask to ${can.join(', ')}. You are asked as without the agent.`)] : []),
    ...(servers.length > 0
      ? [
          say(
            `It uses the MCP ${servers.length === 1 ? 'server' : 'servers'} ${visibleLine(servers.join(', '))}, if you have configured ${servers.length === 1 ? 'it' : 'them'}.`,
          ),
        ]
      : []),
    ...(tools === undefined ? [say('It can use all MCP servers that you have configured.')] : []),
    ...(models.length > 0 ? [say('The provider of the model that it asks for receives what the agent reads.')] : []),
    ...problems.map(say),
  ];
}

const WORD: Record<ItemKind, string> = { agent: 'agent', prompt: 'prompt', skill: 'skill' };
const WITHOUT_EFFECT = /^(?:hooks?|mcp-?servers?|permissions?|permission-?mode|grants?|allow|allowed-tools|tools|model|env|command)$/i;

function otherAsks({ kind, name, fields }: PackageItem): string[] {
  const say = (text: string) => `The ${WORD[kind]} ${name}: ${text}`;
  const mode = lineIn(fields, 'mode', 20)?.toLowerCase();
  const isMode = mode === 'ask' || mode === 'plan' || mode === 'agent';
  const fieldsWithoutEffect = [...fields.keys()].filter((field) => WITHOUT_EFFECT.test(field)).map((field) => visibleLine(field));
  return [
    ...(kind === 'prompt'
      ? [
          say(
            isMode
              ? `It is sent with /${name}, in ${MODE_NAME[mode]} mode at most.`
              : `It is sent with /${name}, in the mode that you choose.`,
          ),
        ]
      : []),
    ...(kind === 'skill'
      ? [
          say(
            fields.get('disable-model-invocation') === true
              ? 'Models are not told about it.'
              : 'Models are told about it, and read it when they consider it useful.',
          ),
        ]
      : []),
    ...(fieldsWithoutEffect.length > 0
      ? [say(`It asks for ${fieldsWithoutEffect.join(', ')}, which has no effect: it cannot allow or start anything.`)]
      : []),
  ];
}

const TEXT_FILE = /\.(?:md|txt|json|ya?ml|csv|tsv|xml|html?|css|svg|toml|ini)$|\/LICENSE$/i;

function scriptAsk({ path, text }: PackageFile): string[] {
  if (TEXT_FILE.test(path) && !text.startsWith('#!')) return [];
  return [`${path} may be a script. It runs only as a command that you allow.`];
}

/** Finds the blocks of code that are written for a shell. */
const SHELL_BLOCK =
  /^[ \t]*(?:```+|~~~+)[ \t]*(?:sh|bash|shell|zsh|fish|console|powershell|pwsh|ps1|cmd|bat|shell-session)\b[^\n]*\n([^\n]*)/gim;

function commandAsks(files: readonly PackageFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const first = [...text.replaceAll('\r\n', '\n').matchAll(SHELL_BLOCK)].map(([, line = '']) =>
      shortLine(line.replace(/^[ \t]*[$>]?[ \t]*/, '')),
    );
    return first.length > 0 ? [`${path} contains commands for a shell: ${named(first)}. A model that runs them is judged as always.`] : [];
  });
}

function hostAsks(files: readonly PackageFile[]): string[] {
  const hosts = files.flatMap(({ text }) =>
    [...text.matchAll(/\b(?:https?|wss?|ssh|git|ftp):\/\/([^\s/"'<>()[\]`\\|]{1,300})/gi)].map(([, host = '']) => shortLine(host)),
  );
  return hosts.length > 0 ? [`It names these hosts: ${named(hosts)}. Kedge asks before it connects to a host.`] : [];
}

function hiddenAsk({ path, text }: PackageFile): string[] {
  const visible = visibleText(text.replaceAll('\r\n', '\n'));
  const marks = visible === text.replaceAll('\r\n', '\n') ? [] : marksIn(visible);
  return marks.length > 0 ? [`${path} hides characters: ${named(marks)}. They are marked wherever they are shown or sent.`] : [];
}

function shortLine(text: string): string {
  const line = visibleLine(text.trim());
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME).toWellFormed()} …` : line;
}

function named(all: readonly string[]): string {
  const once = [...new Set(all)].filter(Boolean);
  const more = once.length - MAX_NAMED;
  return `${once.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
