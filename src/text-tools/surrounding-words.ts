/** Recognizes from the surrounding words whether a call is shown as an example instead of being made. */

/** Matches a sentence in which the model announces its own action. */
const ACTS =
  /\b(let me|let(’|')?s|i(’|')?ll|i (will|need to|have to|should|must|want to|can|am going to)|i(’|')m (going to|now)|i(’|')m|here(’|')?s? (is )?(the|my) ((tool|function) )?call|calling|reading|checking|looking|running|searching|now)\b|^\W*(first|next|then|finally|step)\b|\bi (now |then |first |also )?(read|check|look|run|search|open|list|call|use|start|edit|write|create)\b/i;
const SHOWS = /\b(show|demonstrate|illustrate|explain)\b/i;

const ALWAYS =
  /\b(for (example|instance)|such as|looks? (like|as follows)|would (look|be|have (been|looked)|write|call|emit|output|produce|generate)|could (write|emit|look)|(written|formatted|encoded|structured|expressed) (like this|as follows|this way))\b|(\be\.g\.|zum beispiel|z\. ?b\.|par exemple|por ejemplo|per esempio|por exemplo|例如|比如|たとえば|예를 들어|например)|\bso (sieht|sehen)\b.*\baus\b|\b(wie folgt|comme suit|como sigue)\b/i;
const EXAMPLE =
  /\b(examples?|samples?|syntax|notation|markup|illustration|hypothetical(ly)?)\b|\b(formats?|templates?)\b[^.!?\n]{0,60}:?$|\b(beispiele?|exemples?|ejemplos?|esempio|esempi|exemplos?|przykład)\b|示例|例子|范例|例：|サンプル|예시|пример/iu;
/** Matches a sentence in which the model refuses the call. Only English is covered; `QuotedCalls` also works in other languages. */
const REFUSES = new RegExp(
  [
    `\\b((will|shall|do|did|does|can|could|would|should|must|may)( not|n(’|')?t)|won(’|')?t|can(’|')?t|cannot|not going to|never) ` +
      `(\\w+ly |ever |just |even )?(run|execute|call|do (this|that|it|so)|make|carry|follow|use|perform|comply|obey|act|invoke|be (run|executed|followed|called|made))\\b`,
    `\\b(will not|won(’|')?t|shall not|not going to)\\s*([.:,;!]|$)`,
    '\\b(refus(e|es|ed|ing|al)|declin(e|es|ed|ing)|ignor(e|es|ed|ing)|disregard(ed|ing)?|injections?|injected|malicious|suspicious|untrusted)\\b',
  ].join('|'),
  'i',
);
/** Matches a sentence in which the model says that the call was not requested. */
const UNASKED =
  /\b(nobody|no one|you|the user) (did not|didn(’|')t|do not|don(’|')t|never) (ask|asked|want|wanted)\b|\b(you|the user) ha(s|ve)(n(’|')t| not) asked\b/i;
/** Matches the beginning of a result that the model invents. */
const RESULT = /^<\W{0,2}(tool_(response|result|output)|function_result)|^\**observation\b/i;
/** Matches a sentence in which the model waits for the result, or announces how it will use the result. */
const AWAITS =
  /\bwait(ing)?\b|\b(i|we)((’|')ll| will| can)? (then |now |next )?(go on|continue|proceed|see|know|check|look|read|answer|report|summari[sz]e|analy[sz]e|use)\b/i;
/** Matches a sentence that says that a text, such as a file or page, demands the call. */
const DEMANDS =
  /\b(file|readme|page|document|comment|text|content|contents|result|output|instructions?|it|which|that|someone)\b[^.!?\n]{0,60}\b(asks?|tells?|wants?|instructs?|demands?|requests?|orders?|claims?|attempts?|tries)\b/i;
/** Matches a sentence in which the model asks for permission instead of making the call. */
const ASKS = /^\W*(should|shall) i\b[^.!]*\?$|^\W*(do you want|would you like) me to\b[^.!]*\?$/i;
const WRITES = '(write|call|emit|output|use|send|type|invoke|produce|generate|make|do|run|add|put)';
const ADVICE = new RegExp(
  [
    `\\b(you|one|users?|models?|assistants?|people) (can|could|would|should|might|may|must|needs? to|have to|has to) (\\w+ly |also |then |just )?${WRITES}\\b`,
    '\\b(you|one|users?|models?|assistants?|people) (writes?|calls?|emits?|outputs?|sends?|types?)\\b',
    `\\b(do not|don(’|')t|never|must not|mustn(’|')t|should not|shouldn(’|')t) (\\w+ly |ever |just )?${WRITES}\\b`,
    '\\b(avoid|instead of|rather than)\\b',
    `^\\W*to ${WRITES}\\b`,
    '^\\W*if (you|one|a user|the user|the model)\\b',
    '\\blike (this|so)\\W*$',
    '\\b(emits?|writes?|outputs?|encodes?|sends?|formats?) (\\w+ ){1,3}as\\W*$',
  ].join('|'),
  'i',
);
const REPORTS = new RegExp(
  `\\b(${[
    'wrote|writes|printed|prints|emitted|emits|said|returned|returns|logged|logs?|contains?|contained|responded|replied|outputs?|outputted',
    'produced|generated|shows?|showed|reads?|documented|documentation|defined|expects?|parses?|parsed|matches|matched|handles?|means|describes?',
    'was|were|(have|has|had) (this|the) (string|text|line|message)',
  ].join('|')})\\b[^.!?\\n]{0,80}:\\s*$`,
  'i',
);

/**
 * @param before the text since the last call
 * @param sinceQuoted the part of `before` after the last call that was shown as text, if there is one
 */
export function isShown(before: string, sinceQuoted: string | undefined): boolean {
  if (sinceQuoted !== undefined && /^([\s,;]|[-*+] |\d+[.)] (\**[\w-]+( [\w-]+){0,3}:\**)?|\b(or|and|und|oder)\b|:)*$/i.test(sinceQuoted))
    return true;
  if (/["'“‘«(]$/.test(before)) return true;
  const [label, above] = leadsOf(before);
  return isShownBy(label) || (/^\W*[\w-]+( [\w-]+){0,3}:$/.test(label) && above.endsWith(':') && isShownBy(above));
}

/** Returns true if the sentence before or after a call says that the call is not to be made. */
export function isRefused(before: string, behind: string): boolean {
  const [lead, above] = leadsOf(before);
  if (REFUSES.test(lead) || REFUSES.test(behind) || UNASKED.test(behind)) return true;
  if (ACTS.test(lead)) return false;
  // A label such as "This is the call:" is neutral, so the sentence before the label counts.
  return DEMANDS.test(lead) || (lead.endsWith(':') && REFUSES.test(above) && !ACTS.test(above.replace(REFUSES, '')));
}

/** Returns true if the text after a call is a result that the model invented. */
export function isInvented(behind: string): boolean {
  return RESULT.test(behind);
}

/** Returns true if the sentence before a call announces it, or continues from the previous call. */
export function isActed(before: string): boolean {
  const [lead] = leadsOf(before);
  return ACTS.test(lead) || /^\W*((and|then|also|plus)\W*)*$/i.test(before);
}

/** Returns true if the first sentence after a call says that the model will continue with its result. */
export function isAwaited(behind: string): boolean {
  return RESULT.test(behind) || (AWAITS.test(behind) && !REFUSES.test(behind));
}

function isShownBy(lead: string): boolean {
  if (ALWAYS.test(lead) || ASKS.test(lead)) return true;
  const acts = ACTS.test(lead);
  if (EXAMPLE.test(lead)) return !acts || SHOWS.test(lead);
  return !acts && (ADVICE.test(lead) || REPORTS.test(lead));
}

/** Returns the sentence that leads to the position, and the sentence before it. */
function leadsOf(before: string): [string, string] {
  const text = before
    .trimEnd()
    .slice(-400)
    .replace(/^[ \t]*\d+[.)][ \t]/gm, '')
    .replace(/\b(e\.g|i\.e|z\. ?b)\.\s/gi, (mark) => `${mark.trim()}_`);
  const sentences = text.split(/[.!?。]["')*_]*\s+(?=\S)|\n\s*\n/);
  const [last = '', above = ''] = sentences.slice(-2).reverse();
  return [last.trim().replaceAll('._', '. '), above.trim()];
}

/** Returns true if a call is part of a sentence: the text before it has no ending punctuation, and the sentence continues after it. */
export function isWoven(lineBefore: string, next: string): boolean {
  return /[^\s.:!?…*>\-)]\s*$/.test(lineBefore) && /[\p{Ll}.,;:)"'”’]/u.test(next);
}
