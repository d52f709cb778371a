/**
 * Offers the reading tools to other programs. Each call is a run of a session, in which the client takes the place of the model, so it is judged by
 * the policy and logged like every other call.
 */

import { jsonIn } from '../../core/json.ts';
import { type ModelRef, type ToolResult, textOf } from '../../core/model/messages.ts';
import type { ModelAdapter } from '../../core/model/model.ts';
import type { Tool } from '../../core/run/tool.ts';
import { toolsFor } from '../../tools/index.ts';
import type { FileSystem } from '../../workspace/types.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { Session } from '../session/session.ts';

/** The value in the log instead of a model for a run with a call of a client. It costs nothing, like the offline model. */
export const CLIENT: ModelRef = { provider: 'offline', model: 'mcp-client' };
const OFFERED: ReadonlySet<string> = new Set(['read_file', 'list_directory', 'find_files', 'search_text']);

/** Returns the tools that are offered, for their descriptions and schemas. They are not called: a run calls its own. */
export function readingTools(fs: FileSystem): Tool[] {
  return toolsFor(new Workspace(fs), { mode: 'ask' }).filter(({ name, effect }) => OFFERED.has(name) && effect === 'readonly');
}

/** Makes the call that the last message contains, and ends the run when its result is there. */
export const clientAdapter: ModelAdapter = {
  isFree: true,
  async *stream({ messages }, signal) {
    signal.throwIfAborted();
    const last = messages.at(-1);
    const call = last?.role === 'user' ? (jsonIn(textOf(last)) as { tool: string; input: unknown } | undefined) : undefined;
    if (!call) {
      yield { type: 'part', part: { type: 'text', text: 'The result was returned to the client.' } };
      return yield { type: 'stop', reason: 'end_turn' };
    }
    yield { type: 'part', part: { type: 'tool_call', id: crypto.randomUUID(), name: call.tool, input: call.input } };
    yield { type: 'stop', reason: 'tool_use' };
  },
};

/** Makes the calls of one client one after another, in one session. */
export class ReadingCalls {
  readonly #open: () => Promise<Session>;
  #session: Promise<Session> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: () => Promise<Session>) {
    this.#open = open;
  }

  /** @throws Error if the call was not made */
  call(tool: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const result = this.#last.then(() => this.#call(tool, input, signal));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #call(tool: string, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    signal.throwIfAborted();
    this.#session ??= this.#open();
    const session = await this.#session;
    const stop = () => void session.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await session.prompt({ text: JSON.stringify({ tool, input }), mode: 'ask', model: CLIENT });
    } finally {
      signal.removeEventListener('abort', stop);
    }
    signal.throwIfAborted();
    const runId = session.state.lastRun?.runId ?? '';
    const finished = session.events.ofType('tool_finished', runId).at(-1);
    if (finished) return finished.result;
    throw new Error(
      session.events.ofType('run_finished', runId).at(-1)?.error?.message ?? 'A limit of the run was reached before the call.',
    );
  }
}
