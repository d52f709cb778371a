import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { user } from '../../../src/core/model/messages.ts';
import type { ModelErrorKind } from '../../../src/core/model/model.ts';
import * as anthropic from '../../../src/providers/anthropic/index.ts';
import { type Failure, failureOf, kindOf, modelError, plainError, retryAfter, scrub, sdkError } from '../../../src/providers/errors.ts';
import * as gemini from '../../../src/providers/gemini/index.ts';
import * as openai from '../../../src/providers/openai/index.ts';
import { serverOf } from '../../../src/providers/server.ts';
import { served } from '../../support/served.ts';

describe('the kind of a failure', () => {
  const cases: [kind: ModelErrorKind, failure: Failure][] = [
    ['overloaded', { type: 'overloaded_error', message: 'Overloaded' }],
    ['invalid_request', { status: 500, type: 'server_error', message: 'tools param requires --jinja flag' }],
    ['overloaded', { code: 'server_error', message: 'The server had an error.' }],
    ['overloaded', { status: 529 }],
    ['rate_limit', { code: 'rate_limit_exceeded' }],
    ['rate_limit', { status: 429, message: 'You exceeded your current quota', retryAfterMs: 30_000 }],
    ['no_credit', { status: 429, message: 'You exceeded your current quota' }],
    ['no_credit', { status: 429, code: 'insufficient_quota', retryAfterMs: 1000 }],
    ['no_credit', { status: 400, message: 'Your credit balance is too low to access the API.' }],
    ['context_overflow', { status: 400, code: 'context_length_exceeded' }],
    ['context_overflow', { status: 400, message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' }],
    ['context_overflow', { code: 'context_length_exceeded' }],
    ['unknown_model', { status: 404, code: 'model_not_found' }],
    ['unknown_model', { status: 404, message: 'models/gemini-9 is not found for API version v1' }],
    ['auth', { status: 400, message: 'API key not valid. Please pass a valid API key.' }],
    ['invalid_request', { status: 400, message: "Unsupported parameter: 'temperature' is not supported with this model." }],
    ['invalid_request', { code: 'invalid_prompt', message: 'No.' }],
    ['bad_stream', { code: 'moon_phase', message: 'Full moon.' }],
  ];
  for (const [kind, failure] of cases) it(`${JSON.stringify(failure)} is ${kind}`, () => assert.equal(kindOf(failure), kind));

  it('reads errors however they are nested', () => {
    const inner = { message: 'No.', code: 'c', type: 't' };
    for (const body of [inner, { error: inner }, { type: 'error', error: inner }, [{ error: inner }]]) {
      assert.deepEqual(failureOf(JSON.stringify(body)), inner);
      assert.deepEqual(failureOf(body), inner);
    }
    assert.deepEqual(failureOf({ error: 'No.' }), { message: 'No.' });
    assert.deepEqual(failureOf({ error: { code: 502, message: 'No.' } }), { status: 502, message: 'No.' });
    assert.deepEqual(failureOf(null), {});
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }];
    assert.deepEqual(failureOf({ error: { code: 429, message: 'No.', status: 'RESOURCE_EXHAUSTED', details } }), {
      status: 429,
      code: 'RESOURCE_EXHAUSTED',
      message: 'No.',
      retryAfterMs: 34_500,
    });
  });

  it('reads the retry delay', () => {
    const of = (headers: Record<string, string>) => retryAfter(new Headers(headers));
    assert.equal(of({ 'retry-after': '1.5' }), 1500);
    assert.equal(of({ 'retry-after': '9', 'retry-after-ms': '20' }), 20);
    assert.equal(of({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }), 0);
    assert.equal(of({ 'retry-after': 'soon' }), undefined);
    assert.equal(of({}), undefined);
  });
});

describe('a permanent connection failure', () => {
  const cases: [code: string, message: string, says: RegExp, tries: number | undefined][] = [
    ['CERT_HAS_EXPIRED', 'certificate has expired', /expired \(.*\): renew the certificate/, 1],
    ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames", /for another host name .*: use a host name/, 1],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', /does not trust .*: set NODE_EXTRA_CA_CERTS/, 1],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', /does not trust .*: set NODE_EXTRA_CA_CERTS/, 1],
    ['', 'net::ERR_CERT_COMMON_NAME_INVALID', /for another host name/, 1],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND nowhere.invalid', /could not be found .*: check the base URL/, 2],
    ['', 'bad port', /could not be reached \(bad port\): .*another port/, 1],
    ['ECONNRESET', 'read ECONNRESET', /could not be reached .*: check the network/, undefined],
    ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN api.test', /could not be reached .*: check the network/, undefined],
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', /could not be reached .*: start the server, or/, undefined],
    ['UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error', /could not be reached .*: check the network/, undefined],
  ];
  for (const [code, message, says, tries] of cases) {
    it(`${code} ${message}: ${tries ?? 'as many tries as usual'}`, () => {
      const cause = Object.assign(new Error(message), { code });
      const error = plainError({ name: 'OpenAI', secrets: [] }, new TypeError('fetch failed', { cause }));
      assert.match(error.message, says);
      assert.deepEqual([error.kind, error.tries], ['network', tries]);
    });
  }
});

describe('an error message', () => {
  const config = {
    apiKey: ' sk-0123456789 ',
    baseUrl: 'https://me:p4ssw0rd@host.test/v1?key=q-0123',
    headers: { 'x-auth': 'Bearer h-0123456' },
  };
  const server = serverOf('OpenAI', config);

  it('names the host if it is not the default one', () => {
    assert.equal(serverOf('OpenAI', {}).name, 'OpenAI');
    assert.equal(server.name, 'OpenAI (host.test)');
  });

  it('contains no secret', () => {
    const { message } = modelError(server, 'auth', 'sk-0123456789, p4ssw0rd, q-0123, h-0123456 and Bearer h-0123456.');
    assert.equal(
      message,
      'OpenAI (host.test) refused the API key (***, ***, ***, *** and ***): check the key, its permissions and the provider in the settings.',
    );
    assert.equal(scrub('a "b\\"c" d', ['b"c']), 'a "***" d');
  });

  it('says that the response is a web page and not an API response', async () => {
    const page = '<!doctype html><title>Log in</title>';
    assert.match(modelError(server, 'invalid_request', page).message, /\(a web page, not an API: Log in\)/);
    const web = createServer((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(page));
    const { url, close } = await served(web);
    try {
      const baseUrl = `${url}/v1`;
      for (const { createAdapter } of [openai, anthropic, gemini]) {
        const stream = createAdapter({ apiKey: 'sk-0123456789', baseUrl }).stream(
          { model: 'm', system: '', messages: [user('go')], tools: [] },
          new AbortController().signal,
        );
        await assert.rejects(Array.fromAsync(stream), /the address answered with a web page, not an API/);
      }
    } finally {
      await close();
    }
  });

  it('is one line of limited length', () => {
    const { message } = modelError(server, 'invalid_request', `one\ntwo ${'x'.repeat(1000)}`);
    assert.ok(!message.includes('\n') && message.length < 450);
  });
});

describe('a refusal without a body', () => {
  it('includes its status, without text of the SDK', () => {
    const refusal = Object.assign(new Error('400 status code (no body)'), { status: 400 });
    const { message } = sdkError({ name: 'OpenAI', secrets: [] }, refusal);
    assert.equal(message, 'OpenAI refused the request (HTTP status 400): check the model, the base URL and the settings.');
  });
});
