/** Thrown where a caller asks for what the session's state does not allow; the message says what to do. */
export class SessionError extends Error {
  override name = 'SessionError';

  /** Bundles that are loaded later have a copy of this class: the name tells, not the copy. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'SessionError';
  }
}
