/**
 * Answers a question with a run in Ask mode, for another program or for the user. Only the answer is returned, with sources that are checked
 * against the log of the run.
 */
import { tokensOfText } from '../../core/context/tokens.ts';
import { textOf } from '../../core/model/messages.ts';
import type { EventList } from '../../core/session/lists.ts';
import { visibleLine, visibleText } from '../../core/words/visible-text.ts';
import type { Session } from '../session/session.ts';
import { type CheckedAnswer, droppedNote, shortenedNote } from './checked-answer.ts';
import { type Confidence, GRADES, parsedAnswer } from './parsed-answer.ts';

/** The maximum number of tool calls for one question. */
export const MAX_CALLS = 10;
/** The maximum size of an answer. A longer answer is cut off. */
const MAX_TOKENS = 1_500;
const NOBODY = 'The user could not be asked, because another program asked this question.';

export type Question = { query: string; useCase: string };
export type Answer<Source> = { answer: string; sources: Source[]; confidence: Confidence; note?: string };

/** The subject of a question: the code of the workspace, or collections of documents. */
export type Subject<Source> = {
  prompt(question: Question, calls: number): string;
  check(answer: string, events: EventList, question: Question): CheckedAnswer<Source>;
  /** The note that is returned with an answer that has no sources. */
  nothing: string;
};

type Asking = {
  signal: AbortSignal;
  calls: number;
  /** Whether the user is available to answer the model's questions. */
  isAttended?: boolean;
  onStep?(title: string): void;
};

/** @throws Error with the reason if the run fails */
export async function answerQuestion<Source>(
  session: Session,
  question: Question,
  subject: Subject<Source>,
  { signal, calls, isAttended = false, onStep }: Asking,
): Promise<Answer<Source>> {
  const stop = () => void session.stop();
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  const unsubscribe = session.subscribe((event) => {
    if (event.type === 'turn_started') onStep?.('Thinking');
    else if (event.type === 'tool_started') onStep?.(visibleLine(event.title));
    else if (event.type === 'question_asked' && !isAttended)
      // The call waits for the answer after it has emitted the question.
      queueMicrotask(() => void session.answerQuestion(event.questionId, { words: NOBODY, by: 'nobody' }).catch(() => undefined));
  });
  try {
    session.note({ type: 'session_limit_set', limit: 'callsPerRun', amount: calls });
    await session.prompt({ text: subject.prompt(question, calls), mode: 'ask' }, { shown: question.query });
    const isLimited = isPaused(session);
    if (isLimited && !signal.aborted) {
      session.note({ type: 'session_limit_set', limit: 'callsPerRun', amount: 0 });
      await session.prompt({ text: ANSWER_NOW, mode: 'ask' });
    }
    signal.throwIfAborted();
    const failure = failureOf(session);
    if (failure !== undefined) throw new Error(failure);
    const { answer: text, stated } = parsedAnswer(lastText(session));
    if (isPaused(session)) {
      if (text === '') throw new Error('The run reached a limit before it could answer. Ask a narrower question, or raise the limit.');
      // Nobody continues this run.
      await session.stop();
    }
    const { text: answer, isCut } = cut(visibleText(text));
    return gradedAnswer(subject.check(answer, session.events, question), { stated, isLimited, isCut, nothing: subject.nothing });
  } finally {
    signal.removeEventListener('abort', stop);
    unsubscribe();
    // The user can continue the session without these limits.
    session.note({ type: 'session_limit_set', limit: 'callsPerRun' });
  }
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

type Circumstances = { stated: Confidence; isLimited: boolean; isCut: boolean; nothing: string };

/** The confidence follows from the sources. The model can only lower it. */
function gradedAnswer<Source>(
  { answer, sources, dropped, shortened = [], doubt }: CheckedAnswer<Source>,
  { stated, isLimited, isCut, nothing }: Circumstances,
): Answer<Source> {
  const isWhole = dropped.length + shortened.length === 0 && !isLimited && !isCut && doubt === undefined;
  const proven: Confidence = sources.length === 0 ? 'low' : isWhole ? 'high' : 'medium';
  const note = [
    ...(sources.length === 0 ? [nothing] : doubt === undefined ? [] : [doubt]),
    ...(dropped.length > 0 ? [droppedNote(dropped)] : []),
    ...(shortened.length > 0 ? [shortenedNote(shortened)] : []),
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

function cut(text: string): { text: string; isCut: boolean } {
  const tokens = tokensOfText(text);
  if (tokens <= MAX_TOKENS) return { text, isCut: false };
  const most = Math.floor((text.length * MAX_TOKENS) / tokens);
  // The text is cut between words, because part of a citation would refer to another place.
  const end = Math.max(text.lastIndexOf('\n', most), text.lastIndexOf(' ', most));
  return { text: `${text.slice(0, end > 0 ? end : most)}\n…`, isCut: true };
}
