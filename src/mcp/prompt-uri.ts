/** The addresses of prompts of MCP servers. A prompt is mentioned and read like a resource. */

export const PROMPT_SCHEME = 'mcp-prompt:';

/** Returns the server, the address and the name of the prompt that a text such as `/github:review number=12` asks for. */
export function promptCommand(text: string): { server: string; uri: string; name: string } | undefined {
  const [, server, prompt, words = ''] = /^\s*\/([^\s:/]+):([^\s:]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (server === undefined || prompt === undefined) return undefined;
  const query = words.trim() && `?${encodeURIComponent(words.trim().toWellFormed())}`;
  return { server, uri: `${PROMPT_SCHEME}${encodeURIComponent(prompt.toWellFormed())}${query}`, name: `/${server}:${prompt}` };
}

/** Returns undefined for the address of a resource. */
export function promptOf(uri: string): { name: string; words: string } | undefined {
  if (!uri.startsWith(PROMPT_SCHEME)) return undefined;
  const [name = '', words = ''] = uri.slice(PROMPT_SCHEME.length).split('?');
  try {
    return { name: decodeURIComponent(name), words: decodeURIComponent(words) };
  } catch {
    return undefined;
  }
}
