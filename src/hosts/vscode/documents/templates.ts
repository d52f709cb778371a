/** Prompts about documents. They are put into the input box, where the user can read and change them. */

export type Template = 'ask' | 'summarize' | 'worksheet' | 'compare';

/** `documents` are names such as `handbook/guide.md`. Without them, the prompt is about the whole collection. */
export type TemplateSubject = { collection: string; documents: readonly string[] };

/** Small models have little room, so the prompts lead from section to section. */
const STEPS = `First get the outline with documents_get_outline. Then read one section after the other with documents_get_section, and write down its points before you read the next one.`;
const CITE = 'Cite the place after each statement, in brackets, as the tools write it.';
const MISSING = 'If something is not in the documents, say so, and do not guess.';

export function templateText(template: Template, { collection, documents }: TemplateSubject): string {
  const [first = '', second = ''] = documents;
  const subject = first === '' ? `the documents of the collection ${collection}` : `the document ${first}`;
  switch (template) {
    case 'ask':
      return first === '' ? '' : `In ${subject}: …`;
    case 'summarize':
      return first === ''
        ? `Summarize ${subject}. List them with documents_list_documents, and read the beginning of each one. Write one sentence for each document, and then the main points of all of them. ${CITE}`
        : `Summarize ${subject} in at most 10 points. ${STEPS} ${CITE}`;
    case 'worksheet':
      return `Write a worksheet in Markdown about ${subject}: 8 questions, from easy to hard. ${first === '' ? 'List the documents with documents_list_documents, and choose the most important ones. ' : ''}${STEPS}

Use this form for each question:

## 1. The question
**Answer:** the answer in one or two sentences
**Source:** the place in brackets, as the tools write it

${MISSING}`;
    case 'compare':
      return `Compare the documents ${first} and ${second}. ${STEPS} Then write a table with the columns Topic, ${nameOf(first)}, ${nameOf(second)}, and below it what only one of them says and where they contradict each other. ${CITE} ${MISSING}`;
  }
}

function nameOf(document: string): string {
  return document.slice(document.lastIndexOf('/') + 1);
}
