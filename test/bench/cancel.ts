/** Measures how long `kedge acp` takes to answer a prompt that is cancelled. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcpClient } from '../support/acp-client.ts';
import { type ResponsesServerOptions, startResponsesServer } from '../support/responses-server.ts';
import { median } from './loop.ts';

const COMMAND = { name: 'run_command', input: { command: 'echo ready; sleep 600' } };

/** The median time in milliseconds while the model answers, and while a command runs. */
export async function measureCancel(runs = 7): Promise<{ modelMs: number; commandMs: number }> {
  const times = async (options: ResponsesServerOptions, isReady: (client: AcpClient) => boolean) => {
    const all: number[] = [];
    for (let run = 0; run < runs; run++) all.push(await timeOf(options, isReady));
    return median(all);
  };
  const hasText = (client: AcpClient) => client.of('agent_message_chunk').length > 0;
  const hasOutput = (client: AcpClient) => JSON.stringify(client.of('tool_call_update')).includes('ready\\n');
  return {
    modelMs: await times({ turns: [{ text: 'An answer that does not end.' }], hang: 'midway' }, hasText),
    commandMs: await times({ turns: [{ calls: [COMMAND] }] }, hasOutput),
  };
}

async function timeOf(options: ResponsesServerOptions, isReady: (client: AcpClient) => boolean): Promise<number> {
  const [folder, home] = await Promise.all([mkdtemp(join(tmpdir(), 'kedge-bench-')), mkdtemp(join(tmpdir(), 'kedge-bench-'))]);
  const server = await startResponsesServer(options);
  const env = { KEDGE_MODEL: 'openai/test', OPENAI_API_KEY: 'key-of-the-bench', OPENAI_BASE_URL: server.url };
  const client = new AcpClient({ folder, home, env, choose: () => 'Allow once' });
  try {
    const session = await client.begin('agent');
    const answered = client.prompt(session, 'Work.');
    await client.until(isReady);
    const begun = performance.now();
    await client.cancel(session);
    await answered;
    return performance.now() - begun;
  } finally {
    await client.kill();
    await server.close();
    await Promise.all([folder, home].map((each) => rm(each, { recursive: true, force: true })));
  }
}
