import type { ShellParser, ShellParsers } from '../../../policy/commands/shells/syntax.ts';

const loading = new Map<string, Promise<ShellParser | undefined>>();

/** Loads each grammar once, with the first command. If a grammar cannot be loaded, every command needs approval. */
export const nodeShellParsers: ShellParsers = (shell) => {
  if (shell === 'other') return Promise.resolve(undefined);
  const grammar = shell === 'powershell' ? 'powershell' : 'bash';
  const parser = loading.get(grammar) ?? load(grammar);
  loading.set(grammar, parser);
  return parser;
};

async function load(grammar: 'bash' | 'powershell'): Promise<ShellParser | undefined> {
  try {
    const { loadGrammar } = await import('./shell-grammar.ts');
    return await loadGrammar(grammar);
  } catch (error) {
    console.warn(`Kedge could not load the ${grammar} grammar, so every command needs approval:`, error);
    return undefined;
  }
}
