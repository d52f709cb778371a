/** Looks again and again until `probe` has something, for what Playwright cannot wait for by itself (any of several frames). */
export async function until<T>(what: string, probe: () => Promise<T | undefined | false>, timeout = 120_000): Promise<T> {
  const end = performance.now() + timeout;
  for (;;) {
    const found = await probe().catch(() => undefined);
    if (found) return found;
    if (performance.now() > end) throw new Error(`Waited ${timeout / 1000} s in vain for ${what}.`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
