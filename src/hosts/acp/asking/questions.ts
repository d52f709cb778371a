/** Asks the user what the model wants to know: with a form, with options, or with a message that the next prompt answers. */
import { CreateElicitationResponse, type ElicitationSchema } from '@agentclientprotocol/sdk';
import type { Question, QuestionAnswer } from '../../../core/session/events.ts';
import type { AskedQuestion } from '../../../core/session/session-state.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import type { SessionClient } from '../client.ts';
import { questionMarkdown, textContent } from '../updates/markdown.ts';
import { askForOption } from './approvals.ts';

/** `next_prompt`: the question was displayed, and the user's next prompt answers it. `cancelled`: the turn was cancelled. */
export type Reply = QuestionAnswer | 'next_prompt' | 'cancelled';

const DECLINED: QuestionAnswer = { words: 'The user did not answer this question.', by: 'nobody' };

export async function askQuestion(client: SessionClient, asked: AskedQuestion, signal: AbortSignal): Promise<Reply> {
  const { question, callId } = asked;
  if (client.showsForms) return askWithForm(client, asked, signal);
  if (question.options.length === 0) return 'next_prompt';
  const labels = question.options.map(({ label }) => label);
  const refusal = takesWords(question) ? 'Answer with a message' : 'Do not answer';
  const content = [textContent(questionMarkdown(question))];
  const choice = await askForOption(client, { toolCallId: callId, title: question.text, content }, labels, refusal, signal);
  if (choice === undefined) return 'cancelled';
  if (choice !== 'refused') return choice;
  return takesWords(question) ? 'next_prompt' : DECLINED;
}

async function askWithForm(client: SessionClient, { question, callId }: AskedQuestion, signal: AbortSignal): Promise<Reply> {
  const form = { message: questionMarkdown(question), requestedSchema: schemaOf(question), toolCallId: callId };
  const response = await client.fillIn(form, signal);
  if (signal.aborted) return 'cancelled';
  if (!CreateElicitationResponse.isAccept(response)) return response.action === 'cancel' ? 'cancelled' : DECLINED;
  const { option, words } = response.content ?? {};
  const typed = typeof words === 'string' ? words.trim() : '';
  const chosen = question.options.find(({ label }) => label === option);
  if (chosen) return { option: chosen.label, ...(typed && { words: typed }) };
  return typed && takesWords(question) ? { words: typed } : DECLINED;
}

function schemaOf(question: Question): ElicitationSchema {
  const { options } = question;
  const oneOf = options.map(({ label, detail }) => ({
    const: label,
    title: visibleLine(label),
    ...(detail && { description: visibleLine(detail) }),
  }));
  const hasOptions = options.length > 0;
  const required = hasOptions ? (takesWords(question) ? [] : ['option']) : ['words'];
  return {
    type: 'object',
    properties: {
      ...(hasOptions && { option: { type: 'string', title: 'Answer', oneOf } }),
      ...(takesWords(question) && { words: { type: 'string', title: hasOptions ? 'Your own words' : 'Answer' } }),
    },
    required,
  };
}

function takesWords({ freeText, options }: Question): boolean {
  return freeText === true || options.length === 0;
}

/** Returns the answer that a prompt gives to an open question, or undefined if the question does not take these words. */
export function answerIn(prompt: string, { question }: AskedQuestion): QuestionAnswer | undefined {
  const words = prompt.trim();
  const option = question.options.find(({ label }) => label.toLowerCase() === words.toLowerCase());
  if (option) return { option: option.label };
  return words && takesWords(question) ? { words } : undefined;
}
