/**
 * Measures how much slower the adapters are than the SDKs that they use, and how long each provider takes to load and to send its first
 * request.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { user } from '../../src/core/model/messages.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { WIRES, type Wire } from '../support/wires.ts';
import { bundleFile } from './bundles.ts';
import { median } from './loop.ts';

/** Times are in milliseconds per 1,000 deltas. */
export type AdapterFigures = { wire: string; adapterMs: number; sdkMs: number; ratio: number };
/**
 * Milliseconds from before the bundle is loaded until it is loaded, and until the first request was received. `terminalMs` is the time from
 * the start of the terminal program until the first request was received.
 */
export type ProviderFigures = { provider: string; loadMs: number; requestMs: number; terminalMs: number };

const DELTAS = 10_000;
const KEY = 'none-0123456789';
const root = join(import.meta.dirname, '../..');
const request: ModelRequest = { model: 'bench', system: '', messages: [user('Go.')], tools: [] };

/** Uses the SDK alone: it requests a stream, reads it to the end and joins its text. */
const BARE: Record<string, (baseURL: string) => Promise<() => Promise<string>>> = {
  'openai-responses': async (baseURL) => {
    const { OpenAI } = await import('openai');
    const client = new OpenAI({ apiKey: KEY, baseURL });
    return async () => {
      let text = '';
      for await (const event of await client.responses.create({ model: 'bench', input: 'Go.', stream: true }))
        if (event.type === 'response.output_text.delta') text += event.delta;
      return text;
    };
  },
  'openai-chat': async (baseURL) => {
    const { OpenAI } = await import('openai');
    const client = new OpenAI({ apiKey: KEY, baseURL });
    return async () => {
      let text = '';
      const messages = [{ role: 'user' as const, content: 'Go.' }];
      for await (const chunk of await client.chat.completions.create({ model: 'bench', messages, stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
      return text;
    };
  },
  'anthropic-messages': async (baseURL) => {
    const { Anthropic } = await import('@anthropic-ai/sdk');
    const client = new Anthropic({ apiKey: KEY, baseURL });
    return async () => {
      let text = '';
      const messages = [{ role: 'user' as const, content: 'Go.' }];
      for await (const event of await client.messages.create({ model: 'bench', max_tokens: 100, messages, stream: true }))
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
      return text;
    };
  },
  gemini: async (baseUrl) => {
    const { GoogleGenAI } = await import('@google/genai/web');
    const client = new GoogleGenAI({ apiKey: KEY, vertexai: false, httpOptions: { baseUrl } });
    return async () => {
      let text = '';
      for await (const chunk of await client.models.generateContentStream({ model: 'bench', contents: 'Go.' }))
        text += chunk.candidates?.[0]?.content?.parts?.[0]?.text ?? '';
      return text;
    };
  },
  'ollama-chat': async (host) => {
    const { Ollama } = await import('ollama/browser');
    const client = new Ollama({ host });
    return async () => {
      let text = '';
      const messages = [{ role: 'user', content: 'Go.' }];
      for await (const chunk of await client.chat({ model: 'bench', messages, stream: true })) text += chunk.message.content;
      return text;
    };
  },
};

export async function measureAdapters(runs = 31, warmUp = 5): Promise<AdapterFigures[]> {
  const { server, url } = await startServer(DELTAS);
  try {
    const figures: AdapterFigures[] = [];
    for (const [name, wire] of Object.entries(WIRES)) {
      const baseUrl = `${url}/${name}${wire.path}`;
      const adapter = (await wire.load()).createAdapter({ apiKey: KEY, baseUrl });
      const bare = await BARE[name]?.(baseUrl);
      const through = async () => {
        let text = '';
        for await (const event of adapter.stream(request, new AbortController().signal))
          if (event.type === 'text_delta') text += event.text;
        return text;
      };
      if (!bare || (await bare()) !== (await through())) throw new Error(`The SDK and the adapter of ${name} do not hear the same.`);
      const times: [number, number][] = [];
      // The order changes in each round, so that other work on the machine and garbage collection affect both.
      for (let run = -warmUp; run < runs; run++) {
        const [first, second] = run % 2 === 0 ? [bare, through] : [through, bare];
        const pair: [number, number] = [await timed(first), await timed(second)];
        if (run >= 0) times.push(run % 2 === 0 ? pair : [pair[1], pair[0]]);
      }
      const [sdkMs, adapterMs] = [0, 1].map((side) => median(times.map((pair) => pair[side] as number)) / (DELTAS / 1000)) as [
        number,
        number,
      ];
      figures.push({ wire: name, adapterMs, sdkMs, ratio: median(times.map(([sdk, own]) => own / sdk)) });
    }
    return figures;
  } finally {
    server.disconnect();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Loads a bundle in a fresh process and sends one request, as the extension host does. It prints the time before and after loading. */
const ASK_ONCE = `
const [bundle, baseUrl] = process.argv.slice(1);
const now = () => performance.timeOrigin + performance.now();
(async () => {
  const begin = now();
  const { createAdapter } = await import(bundle);
  const loaded = now();
  const adapter = createAdapter({ apiKey: '${KEY}', baseUrl });
  for await (const event of adapter.stream(${JSON.stringify(request)}, new AbortController().signal));
  console.log(JSON.stringify({ begin, loaded }));
})();`;

/** Measures each provider. The bundles must exist in dist/. */
export async function measureProviders(runs = 7): Promise<ProviderFigures[]> {
  const { server, url } = await startServer(3);
  const home = await mkdtemp(join(tmpdir(), 'kedge-bench-home-'));
  try {
    const figures: ProviderFigures[] = [];
    for (const [name, wire] of Object.entries(WIRES)) {
      const address = `${url}/${name}${wire.path}`;
      const all: Omit<ProviderFigures, 'provider'>[] = [];
      // The first round fills the caches and is not counted.
      for (let run = 0; run <= runs; run++)
        all.push({ ...(await loadOnce(server, wire, address)), ...(await startOnce(server, wire, address, home)) });
      const of = (key: keyof (typeof all)[number]) => median(all.slice(1).map((each) => each[key]));
      figures.push({ provider: wire.provider, loadMs: of('loadMs'), requestMs: of('requestMs'), terminalMs: of('terminalMs') });
    }
    return figures;
  } finally {
    server.disconnect();
    await rm(home, { recursive: true, force: true });
  }
}

async function loadOnce(server: ChildProcess, { provider }: Wire, address: string): Promise<Pick<ProviderFigures, 'loadMs' | 'requestMs'>> {
  const bundle = pathToFileURL(await bundleFile(provider)).href;
  const { begin, loaded } = JSON.parse(await output(['--input-type=commonjs', '-e', ASK_ONCE, bundle, address], process.env));
  return { loadMs: loaded - begin, requestMs: (await firstRequest(server)) - begin };
}

async function startOnce(
  server: ChildProcess,
  { provider }: Wire,
  address: string,
  home: string,
): Promise<Pick<ProviderFigures, 'terminalMs'>> {
  const env = { ...process.env, KEDGE_HOME: home, KEDGE_API_KEY: KEY, KEDGE_BASE_URL: address, NO_COLOR: '1' };
  const begin = performance.timeOrigin + performance.now();
  await output([join(root, 'dist', 'kedge.js'), 'ask', '--model', `${provider}/bench`, '--folder', home, 'Go.'], env);
  return { terminalMs: (await firstRequest(server)) - begin };
}

async function output(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let complained = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complained += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.at(0)} … ended with ${code}:\n${complained}`);
  return said;
}

async function startServer(deltas: number): Promise<{ server: ChildProcess; url: string }> {
  const server = fork(join(import.meta.dirname, 'adapters-server.ts'), [String(deltas)]);
  const [url] = (await once(server, 'message')) as [string];
  return { server, url };
}

async function firstRequest(server: ChildProcess): Promise<number> {
  server.send('report');
  const [{ received }] = (await once(server, 'message')) as [{ received?: number }];
  if (received === undefined) throw new Error('No request came.');
  return received;
}
