/** Gets prompts of a server. Their texts are data of the server, like those of its resources. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Prompt } from '@modelcontextprotocol/sdk/types.js';
import type { ImagePart, TextPart } from '../../core/model/messages.ts';
import { PROMPT_SCHEME } from '../prompt-uri.ts';
import type { McpResource } from '../types.ts';
import { resultParts } from './results.ts';

const MAX_PROMPTS = 200;
/** `name=value` or `name="a value"`. */
const NAMED = /(?<=^|\s)([\w.-]+)=(?:"([^"]*)"|(\S*))/g;

/** Lists the prompts as resources with addresses of their own. */
export async function promptsOf(client: Client, signal: AbortSignal): Promise<McpResource[]> {
  const prompts = await allPrompts(client, signal);
  return prompts.map(({ name, title, description = '' }) => ({
    uri: `${PROMPT_SCHEME}${encodeURIComponent(name)}`,
    name: title ?? name,
    description: description || 'Prompt',
  }));
}

/** @param words the arguments, as the user has typed them. @throws Error if a required argument is missing */
export async function promptParts(client: Client, name: string, words: string, signal: AbortSignal): Promise<(TextPart | ImagePart)[]> {
  const prompt = (await allPrompts(client, signal)).find((each) => each.name === name);
  if (!prompt) throw new Error('there is no prompt with this name');
  const values = argumentsIn(words, prompt);
  const missing = (prompt.arguments ?? []).filter((each) => each.required && !Object.hasOwn(values, each.name));
  if (missing.length > 0) throw new Error(`the prompt needs ${missing.map((each) => `${each.name}="…"`).join(' ')} after its name`);
  const { messages } = await client.getPrompt({ name, arguments: values }, { signal });
  return messages.flatMap(({ role, content }) => [{ type: 'text' as const, text: `[${role}]` }, ...resultParts([content], undefined)]);
}

/** Without names, the words are the value of the only argument, or the values of all arguments in their order. */
function argumentsIn(words: string, { arguments: listed = [] }: Prompt): Record<string, string> {
  const named = [...words.matchAll(NAMED)].filter(([, name]) => listed.some((each) => each.name === name));
  if (named.length > 0) return Object.fromEntries(named.map(([, name, quoted, bare]) => [name, quoted ?? bare ?? '']));
  if (words.trim() === '') return {};
  const values =
    listed.length === 1 ? [words.trim()] : [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  return Object.fromEntries(listed.slice(0, values.length).map(({ name }, index) => [name, values[index] as string]));
}

async function allPrompts(client: Client, signal: AbortSignal): Promise<Prompt[]> {
  if (!client.getServerCapabilities()?.prompts) return [];
  const prompts: Prompt[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listPrompts(cursor === undefined ? {} : { cursor }, { signal });
    prompts.push(...page.prompts);
    cursor = page.nextCursor;
  } while (cursor !== undefined && prompts.length < MAX_PROMPTS);
  return prompts.slice(0, MAX_PROMPTS);
}
