/**
 * Lists the commands in a syntax tree of the PowerShell grammar. Only pipelines of commands with literal words are evaluated. All other
 * syntax needs approval.
 */

import { concern } from '../concern-messages.ts';
import type { Standing, Word } from '../types.ts';
import type { Reading } from './bash.ts';
import type { ShellNode } from './syntax.ts';

const TRANSPARENT = new Set(['program', 'statement_list', 'pipeline', 'pipeline_chain', 'empty_statement', 'pipeline_chain_tail']);
const SEPARATORS = new Set(['|', ';', '&&', '||', '\n']);
const LITERALS = new Set(['array_literal_expression', 'unary_expression', 'string_literal']);

export function readPowerShell(root: ShellNode, within: readonly Standing[] = []): Reading {
  const reading: Reading = { commands: [], writes: [], reads: [], opaque: [], dangers: [] };
  const unreadable = (what: string) => {
    reading.opaque.push(concern('unreadable', what));
  };
  if (root.hasError) unreadable('its syntax is invalid or ambiguous');
  // PowerShell treats typographic quotes and dashes as syntax.
  if (/[^\n\t\x20-\x7e]/.test(root.text)) unreadable('it contains characters that PowerShell may interpret as syntax');
  visit(root, within);
  return reading;

  function visit(node: ShellNode, standing: readonly Standing[]): void {
    checkGaps(node, unreadable);
    if (node.type === 'command') command(node, standing);
    else if (TRANSPARENT.has(node.type)) {
      const isPipe = node.children.some(({ type }) => type === '|');
      const isList = node.type === 'statement_list' && node.children.filter(({ type }) => type === 'pipeline').length > 1;
      const inner: readonly Standing[] = [...standing, ...(isPipe ? (['pipe'] as const) : []), ...(isList ? (['list'] as const) : [])];
      for (const child of node.children) visit(child, inner);
    } else if (node.isNamed || !SEPARATORS.has(node.type)) {
      unreadable(`it contains a ${node.type.replaceAll('_', ' ')} (${node.text.slice(0, 40)})`);
      for (const each of commandsIn(node)) command(each, [...standing, 'script']);
    }
  }

  function command(node: ShellNode, standing: readonly Standing[]): void {
    const words: Word[] = [];
    for (const child of node.children) {
      if (child.type === 'command_name') words.push(wordOf(child));
      else if (child.type === 'command_elements') {
        checkGaps(child, unreadable);
        let isApart = true;
        for (const element of child.children) {
          if (element.type === 'command_argument_sep') {
            if (element.text.trim() !== '') unreadable(`\`${element.text}\` separates its words`);
            isApart = true;
            continue;
          }
          if (!isApart) unreadable(`there is no space before \`${element.text}\``);
          isApart = false;
          if (element.type === 'redirection') {
            const target = element.text.replace(/^[\d*]?>{1,2}/, '').trim();
            if (/^&[12]$/.test(target)) continue;
            reading.writes.push(target);
            reading.dangers.push(concern('writes', `> ${target}`));
          } else words.push(wordOf(element));
          for (const each of commandsIn(element)) command(each, [...standing, 'substitution']);
        }
      } else {
        unreadable(`it contains a ${child.type.replaceAll('_', ' ')} (${child.text.slice(0, 40)})`);
        for (const each of commandsIn(child)) command(each, [...standing, 'script']);
      }
    }
    if (words.length > 0) reading.commands.push({ source: node.text.trim(), words, within: standing, environment: [] });
  }
}

function commandsIn(node: ShellNode): ShellNode[] {
  return node.children.flatMap((child) => (child.type === 'command' ? [child] : commandsIn(child)));
}

function wordOf(node: ShellNode): Word {
  const source = node.text;
  const value = literalOf(node);
  return { source, value, glob: value !== undefined && !/^['"]/.test(source) && /[*?[]/.test(value) };
}

function literalOf(node: ShellNode): string | undefined {
  const [child] = node.children;
  if (/^-?\d+$/.test(node.text)) return node.text;
  if (LITERALS.has(node.type) && child) return node.children.length === 1 && child.text === node.text ? literalOf(child) : undefined;
  if (node.type === 'verbatim_string_characters') return /^'[^']*'$/.test(node.text) ? node.text.slice(1, -1) : undefined;
  if (node.type === 'expandable_string_literal') return /^"[^"`$]*"$/.test(node.text) ? node.text.slice(1, -1) : undefined;
  if (/^(?:generic_token|command_name|command_parameter|integer_literal)$/.test(node.type)) {
    return /^[\w./\\:=+*?-]+$/.test(node.text) && node.text !== '--%' ? node.text : undefined;
  }
  return undefined;
}

function checkGaps(node: ShellNode, unreadable: (what: string) => void): void {
  if (node.children.length === 0) return;
  let at = node.start;
  for (const { start, end } of [...node.children, { start: node.end, end: node.end }]) {
    const gap = node.text.slice(at - node.start, start - node.start);
    if (!/^[ \t\n]*$/.test(gap)) unreadable(`${JSON.stringify(gap.slice(0, 40))} could not be interpreted`);
    at = end;
  }
}
