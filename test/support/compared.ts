/** Returns values of a session with everything that they read from the log, so that tests can compare them. */
import type { List } from '../../src/core/list.ts';
import type { Message } from '../../src/core/model/messages.ts';
import type { SessionState } from '../../src/core/session/session-state.ts';

/** Returns the state with the whole conversation. A `deepEqual` of the state alone would not compare the messages. */
export function wholeState(state: Omit<SessionState, 'messages'> & { messages: List<Message> }) {
  return { ...state, messages: [...state.messages] };
}
