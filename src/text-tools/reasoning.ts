import * as marks from './markers.ts';
import type { Output } from './output.ts';
import { attempt, type Reading, type Source } from './source.ts';

/**
 * Emits reasoning up to one of its closing markers. The marker is skipped unless it begins the next message. `start` is the position of the
 * opening marker.
 */
export function* readThoughts(src: Source, out: Output, start: number, closers: readonly string[]): Reading<void> {
  out.take(start);
  const longest = Math.max(...closers.map((closer) => closer.length));
  const say = (upTo: number) => {
    if (upTo <= out.emittedUpTo) return;
    out.say('reasoning', src.text.slice(out.emittedUpTo, upTo));
    out.emittedUpTo = upTo;
  };
  const reading = attempt(src, src.until(closers));
  for (;;) {
    const { done, value } = reading.next();
    if (done) {
      say(value ? src.at - value.stop.length : src.text.length);
      if (!value) src.at = src.text.length;
      else if (marks.HARMONY.includes(value.stop)) src.at -= value.stop.length;
      return out.take();
    }
    // The end of the text may be the beginning of a closing marker.
    let heldBack = Math.min(longest - 1, src.text.length - out.emittedUpTo);
    while (heldBack > 0 && !closers.some((closer) => closer.startsWith(src.text.slice(-heldBack)))) heldBack--;
    say(src.text.length - heldBack);
    yield;
  }
}
