/** Thrown when the state of the session does not allow the requested action. The message says what the user can do. */
export class SessionError extends Error {
  override name = 'SessionError';
}
