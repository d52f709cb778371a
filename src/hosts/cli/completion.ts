/** `kedge completion`: completes commands and options in bash, zsh and fish, from the tables that the help and the parsers use. */
import { SETTINGS } from './config/settings.ts';
import { UsageError } from './options/arguments.ts';
import { type Flag, flags } from './options/option-table.ts';
import { SESSION_OPTIONS, SHARED_OPTIONS } from './sessions/commands.ts';

/** Every command with a description, and the words that can follow it. */
export const COMMANDS: Readonly<Record<string, { text: string; words?: readonly string[] }>> = {
  ask: { text: 'answer a question' },
  plan: { text: 'propose a plan' },
  agent: { text: 'work on a task' },
  chat: { text: 'begin or continue a conversation' },
  init: { text: 'write an AGENTS.md' },
  remember: { text: 'remember words in later sessions' },
  undo: { text: 'undo the changes of a run' },
  worktree: { text: 'apply or drop the changes of a run in a worktree', words: ['list', 'apply', 'drop'] },
  skills: { text: 'list prompt files and skills' },
  browser: { text: 'prepare the browser tool', words: ['setup'] },
  hooks: { text: 'list hooks', words: ['path', 'schema'] },
  grants: { text: 'list or remove permanent permissions', words: ['clear'] },
  sessions: { text: 'list sessions', words: ['search', 'rename', 'pin', 'unpin', 'delete', 'restore', 'empty-trash'] },
  fork: { text: 'start a session with the messages of another one' },
  export: { text: 'print a session' },
  import: { text: 'add an exported session' },
  replay: { text: 'show a session again' },
  doctor: { text: 'check and repair stored sessions' },
  insights: { text: 'show what runs did, used and waited for' },
  docs: {
    text: 'manage and search collections of documents',
    words: ['add', 'update', 'list', 'show', 'search', 'ask', 'summarize', 'worksheet', 'compare', 'remove'],
  },
  acp: { text: 'be the agent of another editor' },
  mcp: { text: 'let other assistants ask about this folder' },
  models: { text: 'list models' },
  agents: { text: 'list and share agents', words: ['show', 'accept', 'import', 'update', 'remove', 'export'] },
  keys: { text: 'manage keys in the keychain', words: ['set', 'list', 'delete'] },
  config: { text: 'show and change settings', words: ['list', 'get', 'set', 'unset', 'edit', 'path', 'schema'] },
  completion: { text: 'print the completion for a shell', words: ['bash', 'zsh', 'fish'] },
  help: { text: 'show the help on a command' },
};

/** @throws UsageError if there is no completion for the shell */
export function completion([shell, ...more]: readonly string[]): string {
  if (shell === 'bash' && more.length === 0) return bash();
  if (shell === 'zsh' && more.length === 0) return zsh();
  if (shell === 'fish' && more.length === 0) return fish();
  throw new UsageError('Use kedge completion bash, kedge completion zsh or kedge completion fish. See kedge completion --help.');
}

/** Returns the options of a command on sessions, or undefined if the command has the options of runs. */
function sessionFlags(command: string): Flag[] | undefined {
  if (!Object.hasOwn(SESSION_OPTIONS, command)) return undefined;
  const all: Record<string, { type: string; short?: string }> = {
    ...SHARED_OPTIONS,
    ...SESSION_OPTIONS[command as keyof typeof SESSION_OPTIONS],
  };
  return Object.entries(all).map(([name, { type, short }]) => ({
    ...{ name, text: '' },
    ...(short && { short }),
    ...(type === 'string' && { argument: name === 'folder' ? 'DIR' : name === 'output' ? 'FILE' : 'VALUE' }),
  }));
}

const long = (all: readonly Flag[]) => all.map(({ name }) => `--${name}`).join(' ');
/** The options whose value is a word that a shell cannot complete. */
const valued = (all: readonly Flag[]) => all.filter(({ argument }) => argument && !isPath(argument) && !argument.startsWith('['));
const isPath = (argument = '') => argument === 'DIR' || argument === 'FILE';
const settingNames = () => Object.keys(SETTINGS).join(' ');

function bash(): string {
  const cases = Object.keys(COMMANDS).map((command) => {
    const options = sessionFlags(command);
    const { words } = COMMANDS[command] ?? {};
    return `    ${command}) ${[`words="${words?.join(' ') ?? ''}"`, ...(options ? [`options="${long(options)}"`] : [])].join('; ')} ;;`;
  });
  const values = valued(flags()).flatMap(({ name, short }) => [`--${name}`, ...(short ? [`-${short}`] : [])]);
  return `# Completes kedge in bash. To use it, add this line to ~/.bashrc: source <(kedge completion bash)
_kedge() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command="\${COMP_WORDS[1]}"
  local words="" options="${long(flags())}"
  COMPREPLY=()
  case "$previous" in
    ${values.join('|')}) return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ] && [[ "$current" != -* ]]; then
    COMPREPLY=($(compgen -W "${Object.keys(COMMANDS).join(' ')}" -- "$current"))
    return
  fi
  case "$command" in
${cases.join('\n')}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [ "$command" = config ] && [ "$COMP_CWORD" -eq 3 ]; then
    COMPREPLY=($(compgen -W "${settingNames()}" -- "$current"))
  fi
}
complete -o default -F _kedge kedge
`;
}

/** Quotes a text for zsh and fish. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’').replaceAll('\\', '')}'`;
}

function zsh(): string {
  const described = (text: string) => text.replace(/[[\]:]/g, ' ').replaceAll("'", '’');
  const specs = (all: readonly Flag[]) =>
    all.map(({ name, argument, text }) => {
      const value = argument && !argument.startsWith('[') ? `:${argument}:${isPath(argument) ? '_files' : ' '}` : '';
      return `'*--${name}[${described(text)}]${value}'`;
    });
  const words = Object.entries(COMMANDS).flatMap(([command, { words }]) =>
    words ? [`    ${command}) compadd -- ${words.join(' ')} ;;`] : [],
  );
  const options = Object.keys(COMMANDS).flatMap((command) => {
    const own = sessionFlags(command);
    return own ? [`    ${command}) options=(${specs(own).join(' ')}) ;;`] : [];
  });
  return `#compdef kedge
# Completes kedge in zsh. To use it, add this line to ~/.zshrc, below compinit: source <(kedge completion zsh)
_kedge() {
  local -a options commands
  commands=(
    ${Object.entries(COMMANDS)
      .map(([name, { text }]) => quoted(`${name}:${text}`))
      .join('\n    ')}
  )
  options=(
    ${specs(flags()).join('\n    ')}
  )
  if (( CURRENT == 2 )) && [[ "$words[2]" != -* ]]; then
    _describe command commands
    return
  fi
  case "$words[2]" in
${options.join('\n')}
  esac
  if (( CURRENT == 3 )) && [[ "$words[3]" != -* ]]; then
    case "$words[2]" in
${words.join('\n')}
    esac
  elif (( CURRENT == 4 )) && [[ "$words[2]" == config ]]; then
    compadd -- ${settingNames()}
  fi
  _arguments $options '*:file:_files'
}
compdef _kedge kedge
`;
}

function fish(): string {
  const seen = (command: string) => `__fish_seen_subcommand_from ${command}`;
  const isRun = `not ${seen(Object.keys(SESSION_OPTIONS).join(' '))}`;
  const option = ({ name, short, argument, text }: Flag, condition: string) =>
    [
      `complete -c kedge -n ${quoted(condition)} -l ${name}`,
      ...(short ? [`-s ${short}`] : []),
      ...(argument && !argument.startsWith('[') ? [isPath(argument) ? '-r -F' : '-x'] : []),
      ...(text ? [`-d ${quoted(text)}`] : []),
    ].join(' ');
  const own = Object.keys(SESSION_OPTIONS).flatMap((command) => (sessionFlags(command) ?? []).map((flag) => option(flag, seen(command))));
  const words = Object.entries(COMMANDS).flatMap(([command, { words: all }]) =>
    all ? [`complete -c kedge -n ${quoted(`${seen(command)}; and not ${seen(all.join(' '))}`)} -a ${quoted(all.join(' '))}`] : [],
  );
  return `# Completes kedge in fish. To use it, run once: kedge completion fish > ~/.config/fish/completions/kedge.fish
${Object.entries(COMMANDS)
  .map(([name, { text }]) => `complete -c kedge -n __fish_use_subcommand -a ${name} -d ${quoted(text)}`)
  .join('\n')}
${words.join('\n')}
complete -c kedge -n ${quoted(`${seen('config')}; and ${seen('get set unset')}`)} -x -a ${quoted(settingNames())}
${flags()
  .map((flag) => option(flag, isRun))
  .join('\n')}
${own.join('\n')}
`;
}
