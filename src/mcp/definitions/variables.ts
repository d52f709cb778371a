/** Replaces the variables in the definition of a server, such as `${input:token}` and `${workspaceFolder}`, as VS Code does. */
import type { McpServerConfig, ServerInput } from '../config.ts';

export type Variables = {
  environment(name: string): string | undefined;
  /** The folder that `${workspaceFolder}` stands for. */
  folder: string | undefined;
  home: string;
  /** @throws Error if the user does not enter a value */
  input(input: ServerInput): Promise<string>;
};

/** Matches the names of values that may be secret. */
export const SECRET = /key|token|secret|passw|auth|credential|cookie|session|\bpat\b|signature/i;

const VARIABLE = /\$\{(env|input|workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|\/)(?::([^${}]{0,200}))?\}/g;

/** Replaces each variable once, so a value is never read as a variable. Unknown variables stay as they are. */
export async function withVariables(config: McpServerConfig, variables: Variables): Promise<McpServerConfig> {
  const { origin, ...definition } = config;
  const values = new Map<string, string>();
  for (const [written, kind = '', name = ''] of JSON.stringify(definition).matchAll(VARIABLE))
    if (!values.has(written)) values.set(written, await valueFor(kind, name, config, variables));
  const fill = (value: unknown): unknown =>
    typeof value === 'string'
      ? value.replace(VARIABLE, (written) => values.get(written) ?? written)
      : Array.isArray(value)
        ? value.map(fill)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each)]))
          : value;
  return { ...(fill(definition) as McpServerConfig), ...(origin && { origin }) };
}

/** Returns the variables in a text, as they are written. */
export function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([written]) => written))];
}

async function valueFor(kind: string, name: string, { origin }: McpServerConfig, variables: Variables): Promise<string> {
  const { folder, home } = variables;
  const separator = home.includes('\\') ? '\\' : '/';
  switch (kind) {
    case 'env':
      return variables.environment(name) ?? '';
    case 'input':
      return variables.input(origin?.inputs.find(({ id }) => id === name) ?? { id: name, description: name, isSecret: true });
    case 'userHome':
      return home;
    case 'workspaceFolder':
    case 'workspaceFolderBasename':
      if (folder === undefined) throw new Error(`\${${kind}} has no value, because no folder is open`);
      return kind === 'workspaceFolder' ? folder : (folder.split(/[\\/]/).at(-1) ?? '');
    default:
      return separator;
  }
}
