/**
 * A skill is a generator: it yields the tool calls it needs and continues with their results. The adapter stores no state between requests.
 * For each request, it runs the skill from the start with the results in the conversation. The first calls without results are the answer.
 */
import type { Mode } from '../core/session/events.ts';

export type Call = { name: string; input: Record<string, unknown> };
export type Reply = { text: string; isError: boolean };
export type Turn = { say: string; calls: readonly Call[] };
export type Skill<T> = Generator<Turn, T, Reply[]>;

/**
 * The result of a skill. `failed` says why the request was not carried out completely. `doubtful` is set if it was carried out but the user
 * should check the result.
 */
export type Outcome = { text: string; failed?: string; doubtful?: boolean };

/**
 * `files` are the paths and globs that a step of a confirmed plan may change; `helped` means that the help text was already shown in this
 * session.
 */
export type Context = { mode: Mode; offered: ReadonlySet<string>; files?: readonly string[] | undefined; helped?: boolean };

/** An earlier turn: its calls and their results. */
export type Exchange = { calls: { name: string; reply: Reply }[] };

const BATCH = 16;
const TOO_MANY = /^Not executed: at most/;

/** Makes all calls, in as many turns as necessary. */
export function* ask(say: string, calls: readonly Call[]): Skill<Reply[]> {
  const replies: Reply[] = [];
  let open = calls.map((_, index) => index);
  for (let first = true; open.length > 0; first = false) {
    const batch = open.slice(0, BATCH);
    const answers = yield { say: first ? say : '', calls: batch.map((index) => calls[index] as Call) };
    for (const [at, index] of batch.entries()) replies[index] = answers[at] ?? NO_REPLY;
    const refused = batch.filter((index) => TOO_MANY.test((replies[index] as Reply).text));
    open = [...(refused.length < batch.length ? refused : []), ...open.slice(BATCH)];
  }
  return replies;
}

export function* askOne(say: string, call: Call): Skill<Reply> {
  return (yield* ask(say, [call]))[0] ?? NO_REPLY;
}

const NO_REPLY: Reply = { text: 'This tool call has no result. Send the request again.', isError: true };

/** Returns the next turn of a skill, after replaying earlier turns. A turn without calls is the last turn. */
export function nextTurn(skill: Skill<Outcome>, past: readonly Exchange[], offered: ReadonlySet<string>): Turn {
  let state = skill.next();
  for (let index = 0; !state.done; ) {
    const { say, calls } = state.value;
    const availableCalls = calls.filter((call) => offered.has(call.name));
    const exchange = availableCalls.length > 0 ? past[index++] : { calls: [] };
    if (!exchange) return { say, calls: availableCalls };
    if (exchange.calls.length !== availableCalls.length || exchange.calls.some((call, at) => call.name !== availableCalls[at]?.name))
      return LOST;
    const replies = exchange.calls.map((call) => call.reply);
    state = skill.next(calls.map((call) => (offered.has(call.name) ? (replies.shift() ?? NO_REPLY) : notOffered(call))));
  }
  return { say: state.value.text, calls: [] };
}

const LOST: Turn = {
  say: 'I stopped because another model may have made the tool calls for this request. Send the request again.',
  calls: [],
};

function notOffered(call: Call): Reply {
  return { text: `The tool ${call.name} is not available for this request. Try another mode.`, isError: true };
}
