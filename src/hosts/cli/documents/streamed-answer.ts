/**
 * Removes the model's line about its confidence from the events that are displayed, because Kedge prints its own. Deltas can be split at any
 * place, so the part of a line that may become that line is held back.
 */
import type { AgentEvent } from '../../../core/session/events.ts';

const LINE = /^[*_ ]*confidence[*_ ]*:[*_ ]*(high|medium|low)\b.*$/i;
const MARKS = /^[*_ ]*/;
const WORD = 'confidence';

/** @param show displays an event */
export function withoutConfidence(show: (event: AgentEvent) => void): (event: AgentEvent) => void {
  let line = '';
  /** The characters of `line` that were displayed. */
  let shown = 0;
  let lastDelta: Extract<AgentEvent, { type: 'text_delta' }> | undefined;
  return (event) => {
    if (event.type === 'text_delta') {
      lastDelta = event;
      let text = '';
      for (const part of event.text.split(/(?<=\n)/)) {
        line += part;
        const isComplete = line.endsWith('\n');
        if (isComplete ? !LINE.test(line.trimEnd()) : !mayBecomeConfidence(line)) {
          text += line.slice(shown);
          shown = line.length;
        }
        if (isComplete) [line, shown] = ['', 0];
      }
      if (text !== '') show({ ...event, text });
      return;
    }
    if (event.type === 'message_added' && event.message.role === 'assistant') {
      const rest = LINE.test(line.trimEnd()) ? '' : line.slice(shown);
      [line, shown] = ['', 0];
      if (rest !== '' && lastDelta) show({ ...lastDelta, text: rest });
      const content = event.message.content.map((part) => (part.type === 'text' ? { ...part, text: withoutLine(part.text) } : part));
      show({ ...event, message: { ...event.message, content } });
      return;
    }
    show(event);
  };
}

function mayBecomeConfidence(line: string): boolean {
  const words = line.replace(MARKS, '').toLowerCase();
  return words === '' || WORD.startsWith(words.slice(0, WORD.length)) || words.startsWith(WORD);
}

function withoutLine(text: string): string {
  return text
    .split('\n')
    .filter((line) => !LINE.test(line))
    .join('\n')
    .trimEnd();
}
