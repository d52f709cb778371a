/** The interface between the documents and a model that computes embeddings. */

/** `kind` matters because some models compute the embedding of a question differently. */
export type EmbeddingKind = 'passage' | 'query';

export interface Embedder {
  /** The name of the model, as provider/model. Embeddings of different models cannot be compared. */
  readonly name: string;
  /** The service and the model, for the user. */
  readonly label: string;
  /** The price in US dollars per million tokens. It is 0 for a model on this computer, and undefined if it is unknown. */
  readonly usdPerMillion?: number;
  /** Whether the model runs on this computer, so that nothing leaves it. */
  readonly isLocal: boolean;
  /** The size of one request. */
  readonly batch: { texts: number; tokens: number };
  /** Returns true for a text that contains something like a key, which must not be sent. */
  isWithheld(text: string): boolean;
  /**
   * Computes one vector for each text, all of the same length. `notify` is called while the request waits to be sent again.
   * @throws Error with a message for the user
   */
  embed(texts: readonly string[], kind: EmbeddingKind, signal: AbortSignal, notify?: (message: string) => void): Promise<Float32Array[]>;
}
