import { hiddenCharacter } from '../../core/words/visible-text.ts';
import { concern } from './concern-messages.ts';
import { inspect } from './inspect.ts';
import { attachedValues } from './programs/options.ts';
import { programName, showsNames } from './programs/program-tables.ts';
import { patternAt } from './search-patterns.ts';
import { type Reading, readBash } from './shells/bash.ts';
import { readPowerShell } from './shells/powershell.ts';
import type { Shell, ShellParser } from './shells/syntax.ts';
import type { CommandAnalysis, Concern, SimpleCommand, Use, WrittenCommand } from './types.ts';

const MAX_LENGTH = 10_000;
const MAX_COMMANDS = 50;
/** The maximum nesting depth of wrappers and `sh -c` scripts. */
const MAX_DEPTH = 8;

/** Parses a command without running any part of it. Without a parser, the result is marked as opaque. Never throws. */
export function analyzeCommand(command: string, shell: Shell, parser: ShellParser | undefined): CommandAnalysis {
  const analyzer = new Analyzer(shell, parser);
  analyzer.text(command);
  const { commands, writes, uses, opaque, dangers } = analyzer;
  const runs = (name: RegExp) => commands.some(({ argv: [program] }) => name.test(programName(program ?? '')));
  // The position of `cd` does not matter, because in a loop it also affects commands that precede it in the text.
  if (runs(/^git$/) && runs(/^(?:cd|pushd|popd|chdir|set-location|sl)$/)) dangers.push(concern('other-folder', '`git` after `cd`'));
  if (commands.length === 0 && opaque.length === 0 && dangers.length === 0) opaque.push(concern('unreadable', 'it contains no command'));
  if (commands.length > MAX_COMMANDS) opaque.push(concern('unreadable', `it contains more than ${MAX_COMMANDS} commands`));
  const isReadOnly = opaque.length === 0 && dangers.length === 0 && commands.every(({ reads, isCovered }) => reads || isCovered);
  const paths = [...uses.keys()];
  return { source: command, commands, writes, paths, uses, opaque: unique(opaque), dangers: unique(dangers), isReadOnly };
}

class Analyzer {
  readonly commands: SimpleCommand[] = [];
  readonly writes: string[] = [];
  readonly uses = new Map<string, Use>();
  readonly opaque: Concern[] = [];
  readonly dangers: Concern[] = [];
  private readonly shell: Shell;
  private readonly parser: ShellParser | undefined;

  constructor(shell: Shell, parser: ShellParser | undefined) {
    this.shell = shell;
    this.parser = parser;
  }

  text(text: string): void {
    this.opaque.push(...textConcerns(text));
    if (text.length <= MAX_LENGTH) this.parse(text, [], 0);
  }

  private parse(text: string, within: WrittenCommand['within'], depth: number): void {
    const root = this.shell === 'other' ? undefined : this.parser?.parse(text);
    if (!root) this.opaque.push(concern('unreadable', this.parser ? 'its syntax is invalid or ambiguous' : 'this shell is not supported'));
    else {
      // The grammar drops an escaped space at the beginning, but the shell treats it as the first character of a name.
      if (/\S/.test(text.slice(0, root.start) + text.slice(root.end)))
        this.opaque.push(concern('unreadable', 'a part of its text was not recognized'));
      this.add(this.shell === 'powershell' ? readPowerShell(root, within) : readBash(root, this.shell, within), depth);
    }
  }

  private add(reading: Reading, depth: number): void {
    this.writes.push(...reading.writes);
    this.use(reading.reads, 'read');
    this.use(reading.writes, 'any');
    this.opaque.push(...reading.opaque);
    this.dangers.push(...reading.dangers);
    for (const each of reading.commands) this.command(each, false, depth);
  }

  private use(paths: readonly string[], use: Use): void {
    for (const path of paths)
      if (STRENGTH.indexOf(use) > STRENGTH.indexOf(this.uses.get(path) ?? 'name') || !this.uses.has(path)) this.uses.set(path, use);
  }

  private command(written: WrittenCommand, isCovered: boolean, depth: number): void {
    if (this.commands.length > MAX_COMMANDS) return;
    const { concerns, argv, floor, reads, inner, script } = inspect(written.words);
    const innerWords = inner ? written.words.slice(inner.at) : [];
    const hasInner = innerWords.length > 0;
    // A program given by path could be any file, so it is not trusted to be a known wrapper.
    const isWrapper = hasInner && !inner?.isCovered && !/[\\/]/.test(argv[0] ?? '');
    // A prefix for `npx`, `poetry run` and similar launchers must be as specific as a prefix for the program they start.
    const more = hasInner && inner?.isCovered ? inspect(innerWords).floor - 1 : 0;
    this.commands.push({ ...written, argv, floor: floor + more, reads: reads && !hasInner, isCovered: isCovered || isWrapper });
    const isNames = reads && !hasInner && this.shell !== 'powershell' && showsNames(argv);
    this.use(pathsOf(argv), isNames ? 'name' : reads && !hasInner ? 'read' : 'any');
    this.dangers.push(...concerns);
    if ((hasInner || script !== undefined) && depth >= MAX_DEPTH) this.opaque.push(concern('unreadable', 'it is nested too deeply'));
    else if (innerWords.length > 0) {
      const source = innerWords.map((word) => word.source).join(' ');
      this.command(
        { source, words: innerWords, within: [...written.within, 'wrapper'], environment: [] },
        inner?.isCovered ?? false,
        depth + 1,
      );
    } else if (script !== undefined && this.shell !== 'powershell') this.parse(script, [...written.within, 'script'], depth + 1);
  }
}

const STRENGTH: readonly Use[] = ['name', 'read', 'any'];

function textConcerns(text: string): Concern[] {
  const problems: string[] = [];
  if (text.length > MAX_LENGTH) problems.push(`it is longer than ${MAX_LENGTH} characters`);
  const hidden = hiddenCharacter(text);
  if (hidden !== undefined) problems.push(`it contains the hidden character ${hidden}`);
  if (/\\(?:\n|$)/.test(text)) problems.push('a line ends with a backslash');
  return problems.map((what) => concern('unreadable', what));
}

/** Returns the parts of arguments that may name a file: words, option values, and text after `:` or `@`. */
function pathsOf(argv: SimpleCommand['argv']): string[] {
  const name = programName(argv[0] ?? '');
  const pattern = patternAt(
    name,
    argv.slice(1).map((word) => word ?? ''),
  );
  return argv.slice(1).flatMap((argument, at) => {
    // `HEAD~1` is a Git revision, not a short file name of Windows.
    const word = name === 'git' ? argument?.replace(/(?<=[\w@}^])~\d*/g, '') : argument;
    if (word === undefined || word === '' || at === pattern) return [];
    const parts = [word, word.slice(word.indexOf('=') + 1), word.slice(word.lastIndexOf(':') + 1), word.replace(/^@/, '')];
    return [...parts, ...attachedValues(name, word)].filter((part) => part !== '' && !part.startsWith('-'));
  });
}

function unique(concerns: readonly Concern[]): Concern[] {
  return [...new Map(concerns.map((each) => [each.reason, each])).values()];
}
