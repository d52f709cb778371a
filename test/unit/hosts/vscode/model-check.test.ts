import assert from 'node:assert/strict';
import type { RunError } from '../../../../src/core/session/events.ts';
import { type CheckResult, ModelCheck } from '../../../../src/hosts/vscode/panel/model-check.ts';
import { catalogEntry } from '../../../../src/providers/catalog.ts';
import type { ProviderConfig } from '../../../../src/providers/types.ts';
import { type ListServer, startListServer } from '../../../support/list-server.ts';

/** It is longer than any answer of these servers takes on a busy machine. */
const TIMEOUT_MS = 60_000;
const MODELS = { '/v1/models': { body: { data: [{ id: 'one' }] } } };

describe('whether a model can be reached', () => {
  let server: ListServer;
  afterEach(() => server?.close());

  /** A check of the model `provider/one` with this configuration. `next` resolves to the result after the next check. */
  function checking(provider: string, config: ProviderConfig, isShown = () => true) {
    let notify: () => void = () => {};
    const ref = { provider, model: 'one' };
    const entry = catalogEntry(provider);
    const models = { configOf: async () => config, picked: new Map() } as never;
    const check = new ModelCheck({ models }, { isShown, onResult: () => notify(), timeoutMs: TIMEOUT_MS });
    const result = () => check.resultOf(ref, config, entry);
    const next = async (act: () => unknown): Promise<CheckResult | undefined> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      notify = resolve;
      act();
      await promise;
      return result();
    };
    const ended = (error?: RunError) => check.ended(ref, error);
    return { check, result, next, ended, again: () => check.again(ref, entry), hasFailed: () => check.hasFailed(ref, config) };
  }

  it('is found out by a connection, over which nothing is sent', async () => {
    server = await startListServer(MODELS);
    const { result, next } = checking('lmstudio', { baseUrl: `${server.url}/v1` });
    assert.deepEqual(await next(result), { answers: true });
    assert.deepEqual(server.requests, []);
  });

  it('is found out only while the panel is shown', async () => {
    server = await startListServer(MODELS);
    let isShown = false;
    const { result, next } = checking('lmstudio', { baseUrl: `${server.url}/v1` }, () => isShown);
    assert.equal(result(), undefined);
    isShown = true;
    assert.deepEqual(await next(result), { answers: true });
  });

  it('is not the case where nobody listens, and is found out again', async () => {
    server = await startListServer(MODELS);
    const { port } = new URL(server.url);
    await server.close();
    const { result, next, again } = checking('lmstudio', { baseUrl: `http://127.0.0.1:${port}/v1` });
    const problem = `LM Studio at 127.0.0.1:${port} does not answer. Check that it is running.`;
    assert.deepEqual(await next(result), { answers: false, problem });
    assert.deepEqual(await next(again), { answers: false, problem });
  });

  it('is no longer the case after a run that failed, until the server answers', async () => {
    server = await startListServer(MODELS);
    const { next, ended, again, hasFailed } = checking('openai', { baseUrl: `${server.url}/v1`, apiKey: 'sk-1' });
    assert.deepEqual(await next(() => ended({ kind: 'network', message: 'It was cut off.' })), {
      answers: false,
      problem: 'It was cut off.',
    });
    assert.equal(hasFailed(), true);
    assert.deepEqual(await next(again), { answers: true });
    assert.equal(hasFailed(), false);
    assert.deepEqual(
      server.requests.map(({ path }) => path),
      ['/v1/models'],
    );
  });

  it('says that a key was refused, and forgets that after a run that worked', async () => {
    server = await startListServer({ '/v1/models': { status: 401, body: { error: { message: 'No.' } } } });
    const { next, ended, again, hasFailed } = checking('openai', { baseUrl: `${server.url}/v1`, apiKey: 'sk-1' });
    await next(() => ended({ kind: 'auth', message: 'The key was refused.' }));
    const refused = await next(again);
    assert.ok(refused && !refused.answers && refused.isRefused);
    assert.ok(!refused.problem.includes('sk-1'));
    await next(() => ended());
    assert.equal(hasFailed(), false);
  });
});
