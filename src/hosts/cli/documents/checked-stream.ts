/**
 * Checks the citations of an answer while it is displayed: a place is printed only after it was compared with what the run has opened. An answer
 * in JSON is displayed as text, when it is complete.
 */
import { CitationChecker, type Passage } from '../../../app/answer/document-citations.ts';
import { parsedAnswer } from '../../../app/answer/parsed-answer.ts';
import { textOf } from '../../../core/model/messages.ts';
import type { AgentEvent } from '../../../core/session/events.ts';

/** The beginning of an answer in JSON, which may be in a fenced block. */
const JSON_START = /^\s*(?:[{`]|$)/;

/**
 * @param names the names of the collections that can be cited
 * @param opened returns the passages that the model has received
 * @param show displays an event
 */
export function checkedStream(
  names: () => readonly string[],
  opened: () => readonly Passage[],
  show: (event: AgentEvent) => void,
): (event: AgentEvent) => void {
  let checker: CitationChecker | undefined;
  /** The beginning of a message, until it is known whether it is JSON. */
  let beginning = '';
  let lastDelta: Extract<AgentEvent, { type: 'text_delta' }> | undefined;
  return (event) => {
    if (event.type === 'text_delta') {
      lastDelta = event;
      beginning += checker ? '' : event.text;
      if (!checker && JSON_START.test(beginning)) return;
      const piece = checker ? event.text : beginning;
      checker ??= new CitationChecker(opened(), names());
      const text = checker.add(piece);
      if (text !== '') show({ ...event, text });
    } else if (event.type === 'message_added' && event.message.role === 'assistant') {
      const { message } = event;
      const rest = checker?.end() ?? '';
      if (rest !== '' && lastDelta) show({ ...lastDelta, text: rest });
      [checker, beginning] = [undefined, ''];
      const isAnswer = !message.content.some(({ type }) => type === 'tool_call');
      const text = isAnswer ? parsedAnswer(textOf(message)).answer : textOf(message);
      const checked = new CitationChecker(opened(), names()).check(text);
      const others = message.content.filter(({ type }) => type !== 'text');
      show({ ...event, message: { ...message, content: [...(checked ? [{ type: 'text' as const, text: checked }] : []), ...others] } });
    } else show(event);
  };
}
