/** A mention that is not sent. The message is for the user and says why. */
export class MentionError extends Error {
  override name = 'MentionError';
}
