/** Measures how much a long task sends with a small context window, in comparison with a window into which everything fits. */
import { isForSummary, longTask } from '../support/long-task.ts';

/** A window into which the whole conversation fits. */
const ENDLESS = 10_000_000;
/** The characters after the last message of a request. */
const END = ']}';

/**
 * `sent` is the size of all requests, divided by their size without compactions. `prefix` is the share of a request with which the next
 * request begins, byte for byte, if the conversation was not compacted in between: the smallest and the average share.
 */
export type ContextFigures = { window: number; sent: number; prefix: { least: number; average: number }; compactions: number };

export async function measureContext(windows: readonly number[]): Promise<ContextFigures[]> {
  const whole = await measure(ENDLESS);
  const figures: ContextFigures[] = [];
  for (const window of windows) {
    const { bytes, ...rest } = await measure(window);
    figures.push({ window, sent: bytes / whole.bytes, ...rest });
  }
  return figures;
}

async function measure(window: number): Promise<Omit<ContextFigures, 'window' | 'sent'> & { bytes: number }> {
  let bytes = 0;
  let compactions = 0;
  const shares: number[] = [];
  await longTask(window, async ({ kedge, requests }) => {
    bytes = requests.reduce((sum, { text }) => sum + text.length, 0);
    const turns = requests.filter((request) => !isForSummary(request));
    let turn = 0;
    let compacted = true;
    for (const { type } of kedge.session.events) {
      if (type === 'context_compacted') compactions++;
      // Another run has other tools and another system prompt, so its requests have no common beginning with the earlier ones.
      if (type === 'context_compacted' || type === 'run_started') compacted = true;
      if (type !== 'turn_started') continue;
      const before = turns[turn - 1]?.text.slice(0, -END.length) ?? '';
      if (!compacted) shares.push(commonPrefix(before, turns[turn]?.text ?? '') / before.length);
      compacted = false;
      turn++;
    }
  });
  return {
    bytes,
    compactions,
    prefix: { least: Math.min(...shares), average: shares.reduce((sum, share) => sum + share, 0) / shares.length },
  };
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
