/** Answers where a name is declared and used, and where a text occurs. */
import { declarationPattern, isCall, type Standing, standingOf } from '../declarations.ts';
import { bullets, count, paragraphs, places } from '../markdown.ts';
import type { Question } from '../request.ts';
import { type FileHits, hitCount, merge, parseSearch, type SearchResult } from '../results.ts';
import { EVERYWHERE, scopeText } from '../scope.ts';
import { ask, type Outcome, type Skill } from '../script.ts';
import { search, searchCalls } from './lookup.ts';

export type Located = { name: string; definitions: FileHits[]; weak: FileHits[]; uses: FileHits[]; more?: string };

/** Finds all places of a name and sorts them into declarations and uses. If there are none, other spellings are tried. */
export function* locateName(name: string): Skill<Located | { problem: string }> {
  const query = { pattern: name, case_sensitive: true, whole_word: true };
  const declaration = { pattern: declarationPattern(name), regex: true, case_sensitive: true };
  const isWord = /^[\w$]+$/.test(name);
  const calls = [...searchCalls(query, EVERYWHERE), ...(isWord ? searchCalls(declaration, EVERYWHERE) : [])];
  const [all, declared] = yield* ask(`Looking for ${name}.`, calls);
  if (!all || all.isError) return { problem: all?.text ?? 'The search has no result. Send the request again.' };
  const none = (text: string) => /^No matches\b/.test(text);
  const result = none(all.text) ? { files: [] } : parseSearch(all.text);
  const more = declared && !declared.isError && !none(declared.text) ? parseSearch(declared.text).files : [];
  const joint = merge([
    result,
    { files: more.map((file) => ({ ...file, hits: file.hits.filter(({ text }) => standingOf(text, name, file.path) === 'strong') })) },
  ]);
  const located = sorted(name, { ...result, files: joint.files.filter((file) => file.hits.length > 0) });
  if (hitCount(joint.files) > 0) return located;
  const spelled = yield* otherSpelling(name);
  return spelled ?? located;
}

function* otherSpelling(name: string): Skill<Located | undefined> {
  const words = name.split(/[\s_-]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => /^\w+$/.test(word));
  if (words.length === 0) return undefined;
  const result = yield* search(
    `${name} was not found. Trying other spellings.`,
    { pattern: words.join('[\\s_-]?'), regex: true },
    EVERYWHERE,
  );
  if ('problem' in result || result.files.length === 0) return undefined;
  const spellingPattern = new RegExp(`[\\w$]*${words.join('[_-]?')}[\\w$]*`, 'gi');
  const tally = new Map<string, number>();
  for (const { text } of result.files.flatMap((file) => file.hits))
    for (const [spelling] of text.matchAll(spellingPattern)) tally.set(spelling, (tally.get(spelling) ?? 0) + 1);
  const exact = [...tally].filter(([spelling]) => spelling.replace(/[_-]/g, '').toLowerCase() === words.join('').toLowerCase());
  const best = (exact.length > 0 ? exact : [...tally]).sort((a, b) => b[1] - a[1])[0]?.[0] ?? name;
  const files = result.files
    .map((file) => ({ ...file, hits: file.hits.filter(({ text }) => text.includes(best)) }))
    .filter((file) => file.hits.length > 0);
  return sorted(best, { ...result, files: files.length > 0 ? files : result.files });
}

function sorted(name: string, { files, more }: SearchResult): Located {
  const only = (standing: Standing) =>
    files
      .map(({ path, hits }) => ({ path, hits: hits.filter(({ text }) => standingOf(text, name, path) === standing) }))
      .filter(({ hits }) => hits.length > 0);
  return { name, definitions: only('strong'), weak: only('weak'), uses: only('use'), ...(more !== undefined && { more }) };
}

export function* where({ name, wanted }: Extract<Question, { kind: 'where' }>): Skill<Outcome> {
  const located = yield* locateName(name);
  if ('problem' in located) return { text: `The search failed: ${located.problem}`, failed: located.problem };
  const { definitions, weak } = located;
  if (hitCount([...definitions, ...weak, ...located.uses]) === 0) return { text: `Nothing in the workspace is called ${name}.` };
  const renamed = located.name === name ? '' : `${name} was not found, but ${located.name} was. `;
  return { text: renamed + (wanted === 'definition' ? definitionText(located) : usesText(located, wanted)) };
}

function definitionText({ name, definitions, weak, uses, more }: Located): string {
  const likely = definitions.length > 0 ? definitions : weak;
  const others = definitions.length > 0 ? [...weak, ...uses] : uses;
  const used = hitCount(others);
  const usedText =
    used > 0 ? `It is used in ${count(used, 'other place')}:\n\n${bullets(places(others), 8)}` : 'It is not used anywhere else.';
  if (likely.length === 0) {
    return paragraphs(`I found no definition of ${name}, only ${count(used, 'use')}:`, bullets(places(others)), note(more));
  }
  const verb = definitions.length > 0 ? 'is defined at' : 'seems to be defined at';
  return paragraphs(`${name} ${verb}:`, bullets(places(likely), 12), usedText, note(more));
}

function usesText({ name, definitions, weak, uses, more }: Located, wanted: 'uses' | 'calls'): string {
  const others = definitions.length > 0 ? merge([{ files: weak }, { files: uses }]).files : uses;
  const defined = definitions.length > 0 ? definitions : weak;
  const callers = others
    .map((file) => ({ ...file, hits: file.hits.filter(({ text }) => isCall(text, name)) }))
    .filter((file) => file.hits.length > 0);
  const shown = wanted === 'calls' && callers.length > 0 ? callers : others;
  const total = hitCount(shown);
  const what = wanted === 'calls' && callers.length > 0 ? ['call', 'calls'] : ['use', 'uses'];
  const intro =
    total === 0
      ? `${name} is not used anywhere${defined.length > 0 ? ' except where it is defined' : ''}.`
      : `${count(total, what[0] as string, what[1])} of ${name} in ${count(shown.length, 'file')}:`;
  const noCalls = wanted === 'calls' && callers.length === 0 && total > 0 ? 'I found no calls. These lines mention the name.' : '';
  return paragraphs(
    noCalls,
    intro,
    bullets(places(shown)),
    defined.length > 0 ? `Defined at:\n\n${bullets(places(defined), 5)}` : '',
    note(more),
  );
}

export function note(more: string | undefined): string {
  return more === undefined ? '' : `The search was cut short (${more}), so there may be more matches.`;
}

export function* text({ text: wanted, regex, scope }: Extract<Question, { kind: 'text' }>): Skill<Outcome> {
  const where = scopeText(scope);
  const result = yield* search(`Searching for ${wanted}${where}.`, { pattern: wanted, ...(regex && { regex }) }, scope);
  if ('problem' in result) return { text: `The search failed: ${result.problem}`, failed: result.problem };
  const lines = hitCount(result.files);
  if (lines === 0) return { text: `No line${where || ' in the workspace'} contains ${quoteFor(wanted)}.` };
  const verb = lines === 1 ? 'contains' : 'contain';
  const intro = `${count(lines, 'line')} in ${count(result.files.length, 'file')}${where && ','}${where} ${verb} ${quoteFor(wanted)}:`;
  return { text: paragraphs(intro, bullets(places(result.files), 30), note(result.more)) };
}

export function quoteFor(wanted: string): string {
  return wanted.includes('`') ? `“${wanted}”` : `\`${wanted}\``;
}
