/** Answers a question of another assistant with a run in Ask mode. Only the answer is returned, so the search does not fill the window of the caller. */
import type { Session } from '../../app/session/session.ts';
import { tokensOfText } from '../../core/context/tokens.ts';
import { textOf } from '../../core/model/messages.ts';
import { visibleLine, visibleText } from '../../core/words/visible-text.ts';
import { type CheckedAnswer, checkCitations, type Source } from './citations.ts';
import { evidenceIn } from './evidence.ts';

/** The maximum number of tool calls for one question. */
export const MAX_CALLS = 10;
/** The maximum size of an answer. A longer answer is cut off. */
const MAX_TOKENS = 1_500;
const NOBODY = 'The user could not be asked, because another program asked this question.';

export type Question = { query: string; useCase: string };
export type Confidence = 'high' | 'medium' | 'low';
export type Answer = { answer: string; sources: Source[]; confidence: Confidence; note?: string };

type Asking = { signal: AbortSignal; calls: number; onStep(title: string): void };

/** @throws Error with the reason if the run fails */
export async function askWorkspace(session: Session, { query, useCase }: Question, { signal, calls, onStep }: Asking): Promise<Answer> {
  const stop = () => void session.stop();
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  const unsubscribe = session.subscribe((event) => {
    if (event.type === 'turn_started') onStep('Thinking');
    else if (event.type === 'tool_started') onStep(visibleLine(event.title));
    else if (event.type === 'question_asked')
      // The call waits for the answer after it has emitted the question.
      queueMicrotask(() => void session.answerQuestion(event.questionId, { words: NOBODY, by: 'nobody' }).catch(() => undefined));
  });
  try {
    session.note({ type: 'session_limit_set', limit: 'callsPerRun', amount: calls });
    await session.prompt({ text: promptText(query, useCase, calls), mode: 'ask' }, { shown: query });
    const isLimited = isPaused(session);
    if (isLimited && !signal.aborted) {
      session.note({ type: 'session_limit_set', limit: 'callsPerRun', amount: 0 });
      await session.prompt({ text: ANSWER_NOW, mode: 'ask' });
    }
    signal.throwIfAborted();
    const failure = failureOf(session);
    if (failure !== undefined) throw new Error(failure);
    const { text, stated } = statedConfidence(lastText(session));
    if (isPaused(session)) {
      if (text === '') throw new Error('The run reached a limit before it could answer. Ask a narrower question, or raise the limit.');
      // Nobody continues this run.
      await session.stop();
    }
    const { text: answer, isCut } = cut(visibleText(text));
    return answerOf(checkCitations(answer, evidenceIn(session.events)), { stated, isLimited, isCut });
  } finally {
    signal.removeEventListener('abort', stop);
    unsubscribe();
    // The user can continue the session without these limits.
    session.note({ type: 'session_limit_set', limit: 'callsPerRun' });
  }
}

/** The offline model ignores the part in `<context>`. */
function promptText(query: string, useCase: string, calls: number): string {
  return `${query}

<context>
Another program asks this question for its own work. It needs the answer for this: ${useCase}
Make at most ${calls} tool calls, and stop as soon as the answer is sufficient for that purpose.
Read a place before you cite it: cited places that you did not read are removed. Cite every place as path:line or path:line-line.
If you find nothing, say so and do not guess. Answer in at most 400 words, without a summary of your search.
End with one line: "Confidence: high", "Confidence: medium" or "Confidence: low".
</context>`;
}

const ANSWER_NOW =
  'The limit of tool calls is reached. Answer now from what you have read, without any tool call. Say what remains unknown, and end with the line about your confidence.';

/** Returns true if the run reached a limit or its answer was cut off. */
function isPaused({ state }: Session): boolean {
  return state.lastRun?.status === 'paused';
}

function failureOf({ state, events }: Session): string | undefined {
  const run = state.lastRun;
  if (run?.outcome === 'failed') return events.ofType('run_finished', run.runId).at(-1)?.error?.message ?? 'The run failed.';
  return run?.outcome === 'refused' ? 'The model refused to answer.' : undefined;
}

function lastText({ state }: Session): string {
  const message = state.messages.at(-1);
  return message?.role === 'assistant' ? textOf(message).trim() : '';
}

const STATED = /\n*^[*_ ]*confidence[*_ ]*:[*_ ]*(high|medium|low)\b.*$/im;

/** Separates the confidence that the model states from its answer. */
function statedConfidence(text: string): { text: string; stated: Confidence } {
  const stated = STATED.exec(text)?.[1]?.toLowerCase() as Confidence | undefined;
  return { text: text.replace(STATED, '').trim(), stated: stated ?? 'high' };
}

const GRADES: readonly Confidence[] = ['low', 'medium', 'high'];

type Circumstances = { stated: Confidence; isLimited: boolean; isCut: boolean };

/** The model can only lower the confidence that follows from what was read. */
function answerOf({ answer, sources, dropped }: CheckedAnswer, { stated, isLimited, isCut }: Circumstances): Answer {
  const isWhole = dropped.length === 0 && !isLimited && !isCut;
  const proven: Confidence = sources.length === 0 ? 'low' : isWhole ? 'high' : 'medium';
  const note = [
    ...(sources.length === 0 ? ['Kedge found nothing in this workspace that supports an answer.'] : []),
    ...(dropped.length > 0 ? [droppedNote(dropped)] : []),
    ...(isLimited ? ['A limit of the run was reached, so the answer may be incomplete.'] : []),
    ...(isCut ? ['The answer was too long and was cut off.'] : []),
  ].join(' ');
  return {
    answer: answer || 'No answer was found.',
    sources,
    confidence: GRADES[Math.min(GRADES.indexOf(proven), GRADES.indexOf(stated))] ?? 'low',
    ...(note && { note }),
  };
}

const MAX_NAMED = 5;

function droppedNote(dropped: readonly string[]): string {
  const names = [...new Set(dropped)].map(visibleLine);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const what = names.length === 1 ? '1 cited place was' : `${names.length} cited places were`;
  return `${what} removed, because Kedge did not open it in this run: ${names.slice(0, MAX_NAMED).join(', ')}${more}.`;
}

function cut(text: string): { text: string; isCut: boolean } {
  const tokens = tokensOfText(text);
  if (tokens <= MAX_TOKENS) return { text, isCut: false };
  const most = Math.floor((text.length * MAX_TOKENS) / tokens);
  // A place that is cut in two would be another place.
  const end = Math.max(text.lastIndexOf('\n', most), text.lastIndexOf(' ', most));
  return { text: `${text.slice(0, end > 0 ? end : most)}\n…`, isCut: true };
}
