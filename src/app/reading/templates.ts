/** Prompts about documents. The panel puts them into the input box, where the user can read and change them; the terminal sends them. */
import { readMessage } from './command.ts';

export type Template = 'ask' | 'summarize' | 'worksheet' | 'compare';

/** `documents` are names such as `handbook/guide.md`. Without them, the prompt is about the whole collection. */
export type TemplateSubject = { collection: string; documents: readonly string[] };

const CITE = 'Cite the place after each statement, in brackets, as it stands above the passage.';
const MISSING = 'If something is not in the documents, say so, and do not guess.';

export function templateText(template: Template, { collection, documents }: TemplateSubject): string {
  const [first = '', second = ''] = documents;
  const read = (task: string) => readMessage(documents.length > 0 ? documents : [collection], task);
  switch (template) {
    case 'ask':
      return first === '' ? '' : `In the document ${first}: …`;
    case 'summarize':
      return read(
        first === ''
          ? `Summarize the documents: one sentence for each of them, and then the main points of all. ${CITE}`
          : `Summarize the document in at most 10 points. ${CITE}`,
      );
    case 'worksheet':
      return read(`Write a worksheet in Markdown: 8 questions, from easy to hard, that together cover what you have read.

Use this form for each question:

## 1. The question
**Answer:** the answer in one or two sentences
**Source:** the place in brackets, as it stands above the passage

${MISSING}`);
    case 'compare':
      return read(
        `Compare the documents. Write a table with the columns Topic, ${nameOf(first)} and ${nameOf(second)}, and below it what only one of them says and where they contradict each other. ${CITE} ${MISSING}`,
      );
  }
}

function nameOf(document: string): string {
  return document.slice(document.lastIndexOf('/') + 1);
}
