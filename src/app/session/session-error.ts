/** Thrown where a caller asks for what the session's state does not allow; the message says what to do. */
export class SessionError extends Error {
  override name = 'SessionError';
}
