/** Reads an agent from its Markdown file. A file can ask for anything; what it does not get is said in `problems`. */
import type { Mode } from '../core/session/events.ts';
import type { SessionLimits } from '../core/session/limits.ts';
import { visibleLine } from '../core/words/visible-text.ts';
import { encodeText, hashOf } from '../workspace/content.ts';
import type { AgentDefinition, AgentPlace, UnusableAgent } from './definition.ts';
import { type Fields, lineIn, listIn, readFrontMatter } from './front-matter.ts';
import { nameProblem } from './names.ts';
import { toolEntries } from './tool-names.ts';

const MAX_DESCRIPTION = 500;
const MAX_PROMPT = 32_000;
const MAX_MODELS = 5;
const MAX_TRIES = 3;
const MAX_TRY = 200;

/** Fields of other assistants that change nothing here, and that need no word. */
const IGNORED = new Set([
  ...['color', 'argument-hint', 'target', 'user-invocable', 'user-invokable', 'disable-model-invocation'],
  // These are used when an agent is shared.
  ...['version', 'prompts', 'skills'],
]);
const READ = new Set([
  ...['name', 'description', 'mode', 'permissionMode', 'tools', 'allowed-tools', 'disallowedTools', 'without'],
  ...['model', 'limits', 'budget', 'budgets', 'maxTurns', 'temperature', 'try'],
]);

/** Never throws. The digest is that of the whole text. */
export async function parseAgent(text: string, place: AgentPlace): Promise<AgentDefinition | UnusableAgent> {
  const read = readFrontMatter(text);
  if ('problem' in read) return { place, problem: read.problem };
  const { fields, body } = read;
  const prompt = body.trim();
  const name = (lineIn(fields, 'name', 100) ?? place.fileName).toLowerCase().replaceAll(' ', '-');
  const wrongName = nameProblem(name, place.source);
  if (wrongName) return { place, problem: wrongName };
  if (prompt.length > MAX_PROMPT) return { place, problem: `The prompt is longer than ${MAX_PROMPT} characters.` };
  const problems: string[] = [];
  const mode = modeIn(fields, problems);
  const tools = toolsIn(fields, ['tools', 'allowed-tools'], problems);
  const without = toolsIn(fields, ['disallowedTools', 'without'], problems);
  const limits = limitsIn(fields, problems);
  const temperature = temperatureIn(fields, problems);
  for (const field of fields.keys())
    if (!READ.has(field) && !IGNORED.has(field)) problems.push(`The field ${visibleLine(field.slice(0, 50))} has no effect in Kedge.`);
  return {
    name,
    source: place.source,
    ...(place.path !== undefined && { path: place.path }),
    digest: (await hashOf(encodeText(text))).slice(0, 16),
    ...(mode && { mode }),
    ...(tools !== 'all' && { tools }),
    // A file that excludes all tools, or excludes tools in a wrong form, gets none.
    ...(without === 'all' ? { tools: [] } : without.length > 0 && { without }),
    ...(limits && { limits }),
    ...(temperature !== undefined && { temperature }),
    prompt,
    description: lineIn(fields, 'description', MAX_DESCRIPTION) ?? '',
    models: modelsIn(fields, problems),
    tries: triesIn(fields),
    problems,
  };
}

const MODE_NAMES: Readonly<Record<string, Mode>> = { __proto__: null as never, ask: 'ask', plan: 'plan', agent: 'agent', edit: 'agent' };

/** A mode that is not known is read as Ask mode, so that a mistake never gives more than the author meant. */
function modeIn(fields: Fields, problems: string[]): Mode | undefined {
  const permission = lineIn(fields, 'permissionMode', 30);
  if (permission !== undefined && permission !== 'default' && permission !== 'plan')
    problems.push(`The permission mode ${permission} has no effect: an agent cannot allow anything.`);
  const written = fields.has('mode') ? (lineIn(fields, 'mode', 30) ?? '') : undefined;
  if (written === undefined) return permission === 'plan' ? 'plan' : undefined;
  const mode = MODE_NAMES[written.toLowerCase()];
  if (!mode) problems.push(`The mode ${written || 'in the file'} is unknown, so the agent runs in Ask mode. Use ask, plan or agent.`);
  return mode ?? 'ask';
}

/** Returns `'all'` if `tools` is missing. A list that names nothing known gives no tools. */
function toolsIn(fields: Fields, names: readonly string[], problems: string[]): readonly string[] | 'all' {
  const isExclusion = names.includes('without');
  const field = names.find((name) => fields.has(name));
  const list = field === undefined ? undefined : listIn(fields, field);
  if (list === undefined) return isExclusion ? [] : 'all';
  if (list === 'invalid') {
    problems.push(`The field ${field} is not a list of names, so the agent has no tools.`);
    return isExclusion ? 'all' : [];
  }
  const entries = new Set<string>();
  let all = false;
  for (const written of list) {
    const found = toolEntries(isExclusion ? written.replace(/\(.*$/, '') : written);
    if (found === 'all') all = true;
    else if (found) for (const entry of found) entries.add(entry);
    else if (!isExclusion) problems.push(unknownTool(written));
  }
  return all ? 'all' : [...entries];
}

function unknownTool(written: string): string {
  const shown = written.length > 60 ? `${written.slice(0, 58).toWellFormed()} …` : written;
  if (/^\w+\(.*\)$/.test(written))
    return `${shown} was left out: Kedge cannot limit a tool to certain arguments. Name the tool alone to use it.`;
  return `${shown} was left out: Kedge has no such tool.`;
}

const LIMIT_NAMES: Readonly<Record<string, keyof SessionLimits>> = {
  __proto__: null as never,
  turns: 'turns',
  callsPerTurn: 'callsPerTurn',
  callsPerRun: 'callsPerRun',
  calls: 'callsPerRun',
  minutes: 'minutes',
  tokens: 'tokens',
  usd: 'usd',
};

function limitsIn(fields: Fields, problems: string[]): SessionLimits | undefined {
  const limits: SessionLimits = {};
  const set = (name: string, value: unknown) => {
    const key = LIMIT_NAMES[name];
    if (!key) problems.push(`The limit ${visibleLine(name.slice(0, 50))} is unknown.`);
    else if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
      problems.push(`The limit ${name} must be a number above 0, so yours applies.`);
    else limits[key] = Math.min(limits[key] ?? value, value);
  };
  if (fields.has('maxTurns')) set('turns', fields.get('maxTurns'));
  for (const field of ['limits', 'budget', 'budgets']) {
    const value = fields.get(field);
    if (value === undefined) continue;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) problems.push(`The field ${field} is not a list of limits.`);
    else for (const [name, amount] of Object.entries(value)) set(name, amount);
  }
  return Object.keys(limits).length > 0 ? limits : undefined;
}

function temperatureIn(fields: Fields, problems: string[]): number | undefined {
  const value = fields.get('temperature');
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= 0 && value <= 2) return value;
  problems.push('The temperature must be a number from 0 to 2, so it is ignored.');
  return undefined;
}

function modelsIn(fields: Fields, problems: string[]): string[] {
  const list = typeof fields.get('model') === 'string' ? [lineIn(fields, 'model', 100) ?? ''] : (listIn(fields, 'model') ?? []);
  if (list === 'invalid') {
    problems.push('The field model is not a name, so the model of the session is used.');
    return [];
  }
  return list.filter((name) => name !== '' && name !== 'inherit').slice(0, MAX_MODELS);
}

/** A request can contain commas, so a list is not split at them. */
function triesIn(fields: Fields): string[] {
  const value = fields.get('try');
  const list = Array.isArray(value) ? value : [value];
  return list
    .flatMap((each) => (typeof each === 'string' ? (lineIn(new Map([['try', each]]), 'try', MAX_TRY) ?? []) : []))
    .slice(0, MAX_TRIES);
}
