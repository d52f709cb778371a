/** Reads the MCP servers in the files of other programs, and moves the keys in them into secrets. */
import * as z from 'zod';
import { type McpServerConfig, readServers } from '../config.ts';
import { jsonWithComments } from './json-with-comments.ts';
import { SECRET } from './variables.ts';

/** A server that can be added to the settings. `secrets` are the values of its inputs, by their ids. */
export type Importable = { name: string; config: McpServerConfig; secrets: Readonly<Record<string, string>> };

const Servers = z.record(z.string(), z.unknown());
const File = z.object({
  mcpServers: Servers.optional(),
  /** The servers of single folders, in `~/.claude.json`. */
  projects: z.record(z.string(), z.object({ mcpServers: Servers.optional() })).optional(),
});
const Entry = z.object({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
  type: z.enum(['stdio', 'http', 'sse']).optional().catch(undefined),
  url: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._ @-]{0,63}$/u;
/** A long word without separators is probably a key, whatever its name is. */
const LIKE_KEY = /^[\w+/=~.-]{20,}$/;
/** The name and password in an address, such as that of a database. */
const LOGIN = /(:\/\/)([^\s/@]+)(?=@)/;
/** `--name=value`, `NAME=value`, or the text of a header. */
const NAMED = /^(--?[\w-]+=)(.+)$|^(\w+=)(\S+)$|^([\w-]+:\s*)((?:\w+ )?\S+)$/s;
const FLAG = /^--?[\w-]+$/;
const VARIABLE = /(\$\{[^{}]+\})/;

/** @param folders the open folders, whose own servers are included. Servers that Kedge cannot use are left out. */
export function importableServers(text: string, folders: readonly string[] = []): Importable[] {
  const { data: file } = File.safeParse(jsonWithComments(text));
  const own = folders.map((folder) => file?.projects?.[folder]?.mcpServers);
  const all = Object.assign({}, file?.mcpServers, ...own) as Record<string, unknown>;
  return Object.entries(all).flatMap(([name, value]) => {
    const { data } = Entry.safeParse(value);
    if (!data || !NAME.test(name)) return [];
    const secrets: Record<string, string> = {};
    const withoutSecrets = separated(name, withOwnVariables(data), secrets);
    const config = readServers({ [name]: withoutSecrets }).servers.get(name);
    return config ? [{ name, config, secrets }] : [];
  });
}

type Definition = z.infer<typeof Entry>;

/** Claude writes `${NAME}` and `${NAME:-default}` where VS Code writes `${env:NAME}`. */
function withOwnVariables(definition: Definition): Definition {
  const text = JSON.stringify(definition).replace(/\$\{([A-Za-z_]\w*)(?::-[^{}"\\]*)?\}/g, (written, name: string) =>
    name === 'workspaceFolder' || name === 'userHome' ? written : `\${env:${name}}`,
  );
  return JSON.parse(text) as Definition;
}

/** Replaces every value that may be a key with an input. */
function separated(server: string, { env, headers, args, url, ...rest }: Definition, secrets: Record<string, string>): object {
  const hidden = (name: string, value: string): string => {
    // The value of an input is not searched for variables, so only the words beside a variable are hidden. Short ones are no keys.
    if (VARIABLE.test(value))
      return value
        .split(VARIABLE)
        .map((part, index) => (index % 2 ? part : part.replace(/\S{8,}/g, (word) => hidden(name, word))))
        .join('');
    let id = `${server} ${name}`;
    for (let count = 2; Object.hasOwn(secrets, id) && secrets[id] !== value; count++) id = `${server} ${name} ${count}`;
    secrets[id] = value;
    return `\${input:${id}}`;
  };
  const hiddenIfSecret = (name: string, value: string) =>
    SECRET.test(name) || LIKE_KEY.test(value) || LOGIN.test(value) ? hidden(name, value) : value;
  const mapped = (values: Record<string, string>, hide: typeof hidden) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hide(name, value)]));
  const hiddenInAddress = (address: string) =>
    address
      .replace(LOGIN, (_, start: string, login: string) => start + hidden('login', login))
      .replace(/([?&#]([^=&#]+)=)([^&#]+)/g, (_, start: string, name: string, value: string) => start + hiddenIfSecret(name, value))
      .replace(/(?<=[^/:]\/)[^/?#${}]+/g, (part) => (LIKE_KEY.test(part) && /\d/.test(part) ? hidden('address', part) : part));
  const hiddenArgument = (arg: string, index: number, all: readonly string[]) => {
    const [start = '', value = ''] =
      NAMED.exec(arg)
        ?.slice(1)
        .filter((part) => part !== undefined) ?? [];
    const name = start.replace(/[=:]\s*$/, '');
    if (start.endsWith('=') || SECRET.test(name)) return start + hiddenIfSecret(name, value);
    if (/^https?:/i.test(arg)) return hiddenInAddress(arg);
    const before = all[index - 1] ?? '';
    const isValue = FLAG.test(before) && SECRET.test(before) && !FLAG.test(arg);
    return isValue || LOGIN.test(arg) || (LIKE_KEY.test(arg) && !/[/.]/.test(arg) && /\d/.test(arg))
      ? hidden(isValue ? before : `argument ${index + 1}`, arg)
      : arg;
  };
  return {
    ...rest,
    ...(args && { args: args.map(hiddenArgument) }),
    ...(env && { env: mapped(env, hiddenIfSecret) }),
    // A header of a server is hardly ever set for anything but a key.
    ...(headers && { headers: mapped(headers, hidden) }),
    ...(url !== undefined && {
      url: hiddenInAddress(url),
    }),
  };
}
