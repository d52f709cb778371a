/**
 * Lists every simple command in a syntax tree of the bash grammar. A command with an unknown node type needs approval.
 */
import { concern } from '../concern-messages.ts';
import type { Concern, Standing, Word, WrittenCommand } from '../types.ts';
import { isHarmlessAssignment } from './environment.ts';
import type { Shell, ShellNode } from './syntax.ts';
import { wordOf } from './words.ts';

export type Reading = {
  commands: WrittenCommand[];
  writes: string[];
  reads: string[];
  opaque: Concern[];
  dangers: Concern[];
};

/** Maps the types of nodes that contain commands to the position of these commands, or to undefined for a plain sequence. */
const CONTAINERS: Record<string, Standing | undefined> = {
  program: undefined,
  list: 'list',
  pipeline: 'pipe',
  subshell: 'subshell',
  compound_statement: 'group',
  negated_command: undefined,
  redirected_statement: undefined,
  if_statement: 'body',
  elif_clause: 'body',
  else_clause: 'body',
  while_statement: 'body',
  for_statement: 'body',
  case_statement: 'body',
  case_item: 'body',
  do_group: 'body',
  function_definition: 'function',
  command_substitution: 'substitution',
  process_substitution: 'substitution',
  heredoc_redirect: 'heredoc',
  heredoc_body: 'heredoc',
};
/** Node types that the shell would end at a line feed, although the grammar accepts a line feed inside. */
const ONE_LINE = new Set([
  'command',
  'file_redirect',
  'variable_assignment',
  'declaration_command',
  'herestring_redirect',
  'redirected_statement',
]);
/** Tokens of bash that a plain POSIX shell reads differently, for example as a subshell or a background command. */
const BASH_ONLY = new Set(['((', '[[', '&>', '&>>', '|&', '<<<', '<(', '>(', 'function', 'select', ';&', ';;&', '>&', '<<-']);
/** Named nodes in which nothing is executed. */
const LEAVES = new Set([
  'word',
  'number',
  'variable_name',
  'heredoc_start',
  'heredoc_end',
  'heredoc_content',
  'file_descriptor',
  'extglob_pattern',
]);
const WORDS = new Set([
  'word',
  'number',
  'string',
  'raw_string',
  'ansi_c_string',
  'concatenation',
  'simple_expansion',
  'expansion',
  'command_name',
]);
const OPERATIONS = new Set(['unary_expression', 'binary_expression', 'negation_expression', 'parenthesized_expression', 'test_operator']);
const BRACKET_SIGNS = new Set(['[', ']', '!', '=', '==', '!=']);
const DOUBLE_BRACKET_SIGNS = new Set([...BRACKET_SIGNS, '[[', ']]', '&&', '||', '<', '>']);
const APART = new Set(['{', '[', '[[', '!']);
const SAFE_TARGETS = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

export function readBash(root: ShellNode, shell: Shell, within: readonly Standing[] = []): Reading {
  const reader = new BashReader(shell, root);
  if (root.hasError) reader.unreadable('its syntax is invalid or ambiguous');
  reader.visit(root, within);
  return reader.reading;
}

class BashReader {
  readonly reading: Reading = { commands: [], writes: [], reads: [], opaque: [], dangers: [] };
  private readonly shell: Shell;
  private readonly remarks: ReadonlySet<number>;

  constructor(shell: Shell, root: ShellNode) {
    this.shell = shell;
    const before = ({ start }: ShellNode) => root.text.slice(0, Math.max(0, start - root.start));
    const remarks = root.children.filter((child) => child.type === 'comment' && /(?:^|\n)[ \t]*$/.test(before(child)));
    this.remarks = new Set(remarks.map(({ start }) => start));
  }

  unreadable(what: string): void {
    this.reading.opaque.push(concern('unreadable', what));
  }

  visit(node: ShellNode, standing: readonly Standing[]): void {
    this.checkForm(node);
    if (node.type in CONTAINERS) this.container(node, standing);
    else if (node.type === 'command') this.command(node, standing);
    else if (node.type === 'test_command') this.condition(node, standing);
    else if (node.type === 'declaration_command' || node.type === 'unset_command') this.declaration(node, standing);
    else if (node.type === 'variable_assignment') this.assignment(node, standing);
    else if (node.type === 'file_redirect') this.redirect(node, standing);
    else if (node.type === 'herestring_redirect') this.hereString(node, standing);
    else if (WORDS.has(node.type)) this.word(node, standing);
    else if (node.type === 'comment' && this.isRemark(node)) return;
    else {
      if (node.isNamed && !LEAVES.has(node.type))
        this.unreadable(`it contains a ${node.type.replaceAll('_', ' ')} (${node.text.slice(0, 40)})`);
      for (const child of node.children) this.visit(child, standing);
    }
  }

  /** Returns true if the node is a comment on a separate line at the top level. */
  private isRemark({ start, text }: ShellNode): boolean {
    return /^#[^\n]*$/.test(text) && this.remarks.has(start);
  }

  private container(node: ShellNode, standing: readonly Standing[]): void {
    const { dangers } = this.reading;
    if (node.type === 'heredoc_redirect') dangers.push(concern('here-document', ''));
    if (node.type === 'function_definition')
      dangers.push(concern('shadowed', node.children.find(({ field }) => field === 'name')?.text ?? node.text));
    if (node.type === 'for_statement')
      dangers.push(concern('loop', node.children.find(({ field }) => field === 'variable')?.text ?? node.text));
    const added = CONTAINERS[node.type];
    const inner = added ? [...standing, added] : standing;
    node.children.forEach((child, at) => {
      this.visit(child, node.children[at + 1]?.type === '&' ? [...inner, 'background'] : inner);
    });
  }

  private command(node: ShellNode, standing: readonly Standing[]): void {
    const words: Word[] = [];
    const environment: { name: string; value: string | undefined }[] = [];
    const program = node.children.find(({ type }) => type === 'command_name')?.text;
    let [start, end] = [node.start, -1];
    for (const child of node.children) {
      if (child.type.endsWith('_redirect')) this.visit(child, standing);
      else if (child.type === 'variable_assignment') environment.push(this.assignment(child, standing, program));
      else {
        // The shell would interpret words without a space between them as one word.
        if (child.start === end) this.unreadable(`there is no space before \`${child.text}\``);
        if (words.length === 0) start = child.start;
        words.push(this.word(child, standing));
      }
      end = child.end;
    }
    const source = node.text.slice(start - node.start).trim();
    if (words.length > 0) this.reading.commands.push({ source, words, within: standing, environment });
  }

  private word(node: ShellNode, standing: readonly Standing[]): Word {
    this.substitutions(node, standing);
    return wordOf(node, this.shell);
  }

  /** Collects the commands of substitutions inside a word. */
  private substitutions(node: ShellNode, standing: readonly Standing[]): void {
    if (node.type === 'command_substitution' || node.type === 'process_substitution') this.visit(node, standing);
    else for (const child of node.children) this.substitutions(child, standing);
  }

  private assignment(node: ShellNode, standing: readonly Standing[], program?: string): { name: string; value: string | undefined } {
    const [name = ''] = node.text.split(/\+?=/);
    const valueNode = node.children.find(({ field }) => field === 'value');
    const value = valueNode ? wordOf(valueNode, this.shell).value : '';
    this.substitutions(node, standing);
    if (value === undefined || !isHarmlessAssignment(`${name}=${value}`, program)) this.assigns(name);
    return { name, value };
  }

  private assigns(name: string): void {
    this.reading.dangers.push(concern('environment', name));
  }

  private redirect(node: ShellNode, standing: readonly Standing[]): void {
    const operator = node.children.find(({ isNamed }) => !isNamed)?.type ?? '';
    const [target, ...more] = node.children.filter(({ field }) => field === 'destination');
    for (const child of node.children) this.visit(child, standing);
    // Some shells only support single-digit file descriptors and treat longer numbers as a word.
    if (this.shell === 'sh' && node.children.some(({ type, text }) => type === 'file_descriptor' && text.length > 1))
      this.unreadable(`shells interpret \`${node.text}\` in different ways`);
    // The grammar treats words after the target as further targets; the shell treats them as arguments.
    if (more.length > 0) this.unreadable(`there are arguments after \`${node.text}\``);
    if (!target) {
      if (!operator.endsWith('-')) this.unreadable(`\`${node.text}\` has no target`);
      return;
    }
    const { value, glob } = wordOf(target, this.shell);
    if (/^[<>]&$/.test(operator) && /^(?:\d+|-)$/.test(value ?? '')) return;
    const { dangers, reads, writes } = this.reading;
    if (value === undefined || glob) dangers.push(concern('dynamic', target.text));
    if (/\/dev\/+(?:tcp|udp)\//.test(value ?? '')) dangers.push(concern('sends', target.text));
    if (operator === '<') reads.push(value ?? target.text);
    else if (!SAFE_TARGETS.has(value ?? '')) {
      writes.push(value ?? target.text);
      dangers.push(concern('writes', `${operator} ${target.text}`));
    }
  }

  private hereString(node: ShellNode, standing: readonly Standing[]): void {
    for (const child of node.children) {
      if (!WORDS.has(child.type)) this.visit(child, standing);
      else if (this.word(child, standing).value === undefined) this.reading.dangers.push(concern('dynamic', child.text));
    }
  }

  /** Reads `[ … ]`, `[[ … ]]` and `(( … ))` as one command with the words they contain. */
  private condition(node: ShellNode, standing: readonly Standing[]): void {
    const words: Word[] = [];
    const collect = (child: ShellNode): void => {
      this.checkForm(child);
      if (WORDS.has(child.type)) words.push(this.word(child, standing));
      else if (child.isNamed && !OPERATIONS.has(child.type)) words.push({ source: child.text, value: undefined, glob: false });
      else if (child.children.length > 0) child.children.forEach(collect);
      else {
        if (!signs.has(child.text) && !/^-[A-Za-z]+$/.test(child.text)) this.unreadable(`a condition contains \`${child.text}\``);
        words.push({ source: child.text, value: child.text, glob: false });
      }
    };
    // In single brackets, `<` and `>` are redirections.
    const signs = node.text.startsWith('[[') ? DOUBLE_BRACKET_SIGNS : BRACKET_SIGNS;
    // A line feed ends the command `[`, even though the grammar may continue it.
    if (node.text.includes('\n')) this.unreadable('a condition spans several lines');
    node.children.forEach(collect);
    this.substitutions(node, standing);
    if (node.text.startsWith('((')) this.reading.dangers.push(concern('dynamic', node.text));
    if (words.length > 0) this.reading.commands.push({ source: node.text, words, within: [...standing, 'condition'], environment: [] });
  }

  /** Collects `export`, `unset` and similar declarations as commands, because the shell runs them as commands. */
  private declaration(node: ShellNode, standing: readonly Standing[]): void {
    const words = node.children.map((child): Word => {
      if (child.type === 'variable_assignment') this.assignment(child, standing);
      else this.substitutions(child, standing);
      return child.isNamed ? { source: child.text, value: undefined, glob: false } : { source: child.text, value: child.text, glob: false };
    });
    this.reading.commands.push({ source: node.text, words, within: standing, environment: [] });
  }

  /** Checks that only whitespace separates the child nodes. The shell would interpret other text that the grammar skipped. */
  private checkForm(node: ShellNode): void {
    if (this.shell === 'sh' && !node.isNamed && BASH_ONLY.has(node.type))
      this.unreadable(`\`${node.text}\` has another meaning in this shell`);
    if (node.children.length === 0 || WORDS.has(node.type)) return;
    const [first, second] = node.children;
    // The shell would interpret `{ls` or `[[!` as the name of a program.
    if (first && second && APART.has(first.type) && first.end === second.start)
      this.unreadable(`there is no space after \`${first.text}\``);
    if (node.type !== 'case_item' && node.children.some(({ type }) => type.startsWith(';') && type !== ';'))
      this.unreadable('`;;` is at an unexpected position');
    const isBody = node.type === 'heredoc_body';
    const gap = ONE_LINE.has(node.type) ? /^[ \t]*$/ : /^[ \t\n]*$/;
    let at = node.start;
    for (const { start, end } of [...node.children, { start: node.end, end: node.end }]) {
      if (!isBody && !gap.test(node.text.slice(at - node.start, start - node.start))) {
        this.unreadable(`${JSON.stringify(node.text.slice(at - node.start, start - node.start).slice(0, 40))} could not be interpreted`);
      }
      at = end;
    }
  }
}
