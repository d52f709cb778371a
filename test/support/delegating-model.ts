/** A model whose conversations are told apart by their first message, so that a parent and its children can be scripted together. */
import { type Message, resultText, textOf } from '../../src/core/model/messages.ts';
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../src/core/model/model.ts';
import { call, say } from '../../src/providers/scripted/index.ts';

type Answer = ModelEvent[] | AsyncIterable<ModelEvent>;
/** Returns an answer. `turn` is the number of answers that the model has given in the conversation before. */
export type Role = (turn: number, request: ModelRequest, signal: AbortSignal) => Answer;

export type DelegatingModel = ModelAdapter & { requests: ModelRequest[] };

export function modelOf(roles: Readonly<Record<string, Role>> | ((task: string) => Role | undefined)): DelegatingModel {
  const requests: ModelRequest[] = [];
  const roleOf = typeof roles === 'function' ? roles : (task: string) => roles[task];
  return {
    requests,
    async *stream(request, signal) {
      requests.push(request);
      const task = taskOf(request);
      const answer = roleOf(task)?.(request.messages.filter(({ role }) => role === 'assistant').length, request, signal);
      if (!answer) throw new Error(`No answer for ${task}.`);
      let asks = false;
      for await (const event of answer) {
        signal.throwIfAborted();
        asks ||= event.type === 'part' && event.part.type === 'tool_call';
        yield event;
      }
      yield { type: 'stop', reason: asks ? 'tool_use' : 'end_turn' };
    },
  };
}

export function taskOf({ messages }: ModelRequest): string {
  return textOf(messages.find(({ role }) => role === 'user') as Message).trim();
}

/** Returns the results of the calls in a conversation. */
export function resultsIn({ messages }: ModelRequest): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? message.content : [])).map(resultText);
}

/** Delegates these tasks in one turn, and then answers with the results. */
export const delegating =
  (...tasks: string[]): Role =>
  (turn, request) =>
    turn === 0 ? tasks.flatMap((task, index) => call('delegate', { task }, `d${index + 1}`)) : say(resultsIn(request).join('\n---\n'));

/** Reads files, one in each turn, and then answers. */
export const reading =
  (answer: string, ...paths: string[]): Role =>
  (turn) =>
    turn < paths.length ? call('read_file', { path: paths[turn] }, 'r1') : say(answer);

export async function* hanging(_turn: number, _request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  yield { type: 'text_delta', text: 'I ' };
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
