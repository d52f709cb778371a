/** A question whose answer is in a known section of the corpus. */
export type Kind = 'plain' | 'reworded' | 'identifier' | 'typo' | 'language';

/** `section` is the beginning of a heading in the document, and the section contains `phrase`. */
export type Answer = { document: string; section: string; phrase: string };

/** Each answer is sufficient. Several are given where documents repeat each other. */
export type Question = { kind: Kind; text: string; answers: Answer[] };

/**
 * @param documents whose sections have the same heading and contain the same phrase
 * @param others further sections that answer the question
 */
export function ask(
  kind: Kind,
  text: string,
  documents: string | readonly string[],
  section: string,
  phrase: string,
  ...others: [document: string, section: string, phrase: string][]
): Question {
  const answers = [documents].flat().map((document) => ({ document, section, phrase }));
  return {
    kind,
    text,
    answers: [...answers, ...others.map(([document, heading, words]) => ({ document, section: heading, phrase: words }))],
  };
}
