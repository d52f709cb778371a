/** The reason why a mention is not sent. The message is written for the user. */
export class MentionError extends Error {
  override name = 'MentionError';
}
