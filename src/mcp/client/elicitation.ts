/** Asks the user for the input that a server requests during a call of its tool ("elicitation"): one question for each field of the form. */
import type { ElicitRequestFormParams, ElicitResult, PrimitiveSchemaDefinition } from '@modelcontextprotocol/sdk/types.js';
import type { QuestionAnswer } from '../../core/session/events.ts';
import { visible } from '../tools.ts';
import type { Ask } from '../types.ts';

const MAX_FIELDS = 20;
const MAX_TEXT = 1_000;
const MAX_OPTIONS = 50;
/** How often a field is asked for again if the answer does not fit. */
const TRIES = 3;

const ACCEPT = 'Accept';
const DECLINE = 'Decline the request';
const LEAVE_OUT = 'Leave this out';
const DEFAULT = 'Use the default';

type Value = string | number | boolean | string[];
type Field = PrimitiveSchemaDefinition;
/** `undefined` leaves the field out. The SDK then adds its default. */
type Answered = { value: Value | undefined } | 'decline' | 'cancel' | 'unfit';

export async function elicited(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
  ask: Ask | undefined,
): Promise<ElicitResult> {
  const { properties, required = [] } = requestedSchema;
  const fields = Object.entries(properties);
  // Without a call, there is nobody whom the question could be shown to.
  if (!ask || fields.length > MAX_FIELDS) return { action: 'decline' };
  // After a reload, a call can run again. It must not find an answer to another question.
  const id = `elicitation-${crypto.randomUUID()}`;
  const intro = `The MCP server ${server} asks: ${shown(message)}`;
  if (fields.length === 0) {
    const answer = await ask({ id, text: intro, options: [{ label: ACCEPT }, { label: DECLINE }] });
    return isFromNobody(answer)
      ? { action: 'cancel' }
      : 'option' in answer && answer.option === ACCEPT
        ? { action: 'accept', content: {} }
        : { action: 'decline' };
  }
  const content: Record<string, Value> = {};
  for (const [name, field] of fields) {
    const { title, description } = field;
    const text = `${intro}\n\n${shown(title ?? name)}${description ? `: ${shown(description)}` : ''}`;
    let answered: Answered = 'unfit';
    for (let attempt = 1; answered === 'unfit' && attempt <= TRIES; attempt++) {
      const again = attempt > 1 ? '\n\nThe last answer does not fit. Try again.' : '';
      const { choices, freeText } = choicesOf(field, required.includes(name));
      const options = [...choices.keys(), DECLINE].map((label) => ({ label }));
      answered = answerTo(await ask({ id: `${id}-${name}-${attempt}`, text: text + again, options, freeText }), field, choices);
    }
    if (answered === 'unfit' || answered === 'decline') return { action: 'decline' };
    if (answered === 'cancel') return { action: 'cancel' };
    if (answered.value !== undefined) content[name] = answered.value;
  }
  return { action: 'accept', content };
}

/** Returns the values that can be chosen, by their labels. */
function choicesOf(field: Field, isRequired: boolean): { choices: Map<string, Value | undefined>; freeText: boolean } {
  const choices = new Map<string, Value | undefined>();
  const listed =
    field.type === 'boolean'
      ? ([
          ['Yes', true],
          ['No', false],
        ] as const)
      : field.type === 'array'
        ? []
        : listedValues(field);
  for (const [label, value] of listed.slice(0, MAX_OPTIONS)) choices.set(shown(label), value);
  if ('default' in field && field.default !== undefined) choices.set(`${DEFAULT}: ${shown(String(field.default))}`, undefined);
  else if (!isRequired) choices.set(LEAVE_OUT, undefined);
  return { choices, freeText: listed.length === 0 };
}

/** Returns the labels and values of an enumeration. It is empty for other fields. */
function listedValues(field: object): [label: string, value: string][] {
  const {
    enum: values,
    enumNames,
    oneOf,
    anyOf,
  } = field as {
    enum?: string[];
    enumNames?: string[];
    oneOf?: { const: string; title: string }[];
    anyOf?: { const: string; title: string }[];
  };
  const titled = oneOf ?? anyOf;
  if (titled) return titled.map((each) => [each.title, each.const]);
  return (values ?? []).map((value, index) => [enumNames?.[index] ?? value, value]);
}

function answerTo(answer: QuestionAnswer, field: Field, choices: ReadonlyMap<string, Value | undefined>): Answered {
  if (isFromNobody(answer)) return 'cancel';
  if ('option' in answer) {
    if (answer.option === DECLINE) return 'decline';
    return choices.has(answer.option) ? { value: choices.get(answer.option) } : 'unfit';
  }
  const words = (answer.words ?? '').trim();
  switch (field.type) {
    case 'number':
    case 'integer': {
      const value = Number(words);
      const isFit = words !== '' && Number.isFinite(value) && (field.type === 'number' || Number.isInteger(value));
      return isFit && value >= (field.minimum ?? -Infinity) && value <= (field.maximum ?? Infinity) ? { value } : 'unfit';
    }
    case 'array': {
      const listed = new Map(
        listedValues(field.items).flatMap(
          ([label, value]) =>
            [
              [label, value],
              [value, value],
            ] as const,
        ),
      );
      const values = words.split(',').map((word) => listed.get(word.trim()));
      return values.every((value) => value !== undefined) ? { value: values } : 'unfit';
    }
    case 'string':
      return 'minLength' in field && words.length < (field.minLength ?? 0) ? 'unfit' : { value: words };
    default:
      return 'unfit';
  }
}

function isFromNobody(answer: QuestionAnswer): boolean {
  return 'by' in answer && answer.by === 'nobody';
}

function shown(text: string): string {
  return visible(text).slice(0, MAX_TEXT);
}
