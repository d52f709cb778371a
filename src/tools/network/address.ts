import { ToolError } from '../../core/run/tool.ts';

const MAX_URL = 2_000;

/** Returns the web address that a model has written. @throws ToolError if it is none */
export function addressOf(input: string): URL {
  const url = URL.canParse(input.trim()) ? new URL(input.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ToolError(`${input} is not an http or https URL. Use a URL that begins with https://.`);
  if (url.username || url.password) throw new ToolError('The URL contains a user name or a password. Remove them from the URL.');
  if (url.href.length > MAX_URL)
    throw new ToolError(`The URL is longer than ${MAX_URL.toLocaleString('en')} characters. Use a shorter URL.`);
  return url;
}
