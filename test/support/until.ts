const TIMEOUT_MS = 120_000;

type Found<T> = Exclude<T, undefined | null | false | 0 | ''>;

/** Polls until `probe` returns a value. It is for conditions without an event to wait for. */
export async function until<T>(what: string, probe: () => T | Promise<T>): Promise<Found<T>> {
  const look = async () => probe();
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; ) {
    const found = await look().catch(() => undefined);
    if (found) return found as Found<T>;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`Waited ${TIMEOUT_MS / 1000} s for ${what}, which did not happen.`);
}
