/**
 * Runs the conformance suite of the Model Context Protocol against Kedge as a client and as a server. The script fails if
 * a scenario fails that is not in `LEFT_OUT`, or if one of those passes. `npm run build` must have run before.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const SUITE = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const PROGRAM = join(root, 'dist/kedge.js');
/** The server scenarios that need no tools, prompts or resources of the suite's own example server. */
const SERVER_SCENARIOS = [
  'server-initialize',
  'ping',
  'logging-set-level',
  'tools-list',
  'dns-rebinding-protection',
  'server-sse-multiple-streams',
];
const TOKEN = 'token-of-the-conformance-suite';

export type Counts = { passed: string[]; failed: string[]; output: string };

/** Runs all client scenarios against Kedge's connection to servers. */
export async function clientConformance(): Promise<Counts> {
  const command = `"${process.execPath}" "${join(root, 'scripts/conformance-client.ts')}"`;
  const { output } = await run(SUITE, ['client', '--suite', 'all', '--timeout', '180000', '--command', command]);
  const results = [...output.matchAll(/^([✓✗]) (\S+): /gmu)];
  const named = (mark: string) => results.filter(([, each]) => each === mark).map(([, , name]) => name as string);
  return { passed: named('✓'), failed: named('✗'), output };
}

/** Runs server scenarios against `kedge mcp --http`. The suite sends no token, so a proxy adds it. */
export async function serverConformance(): Promise<Counts> {
  const home = await mkdtemp(join(tmpdir(), 'kedge-conformance-'));
  const env = { ...process.env, KEDGE_HOME: home, KEDGE_MODEL: 'offline', KEDGE_MCP_TOKEN: TOKEN };
  const kedge = spawn(process.execPath, [PROGRAM, 'mcp', '--raw', '--http', '0', '--folder', home], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const counts: Counts = { passed: [], failed: [], output: '' };
  try {
    let said = '';
    for await (const chunk of kedge.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      said += chunk;
      if (said.includes('\n')) break;
    }
    const target = /http:\S+\/mcp/.exec(said)?.[0];
    if (!target) throw new Error(`kedge mcp did not start: ${said}`);
    const proxy = createServer((incoming, response) => {
      const { method, headers } = incoming;
      const forwarded = request(target, { method, headers: { ...headers, authorization: `Bearer ${TOKEN}` } }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      forwarded.on('error', () => response.destroy());
      incoming.pipe(forwarded);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    for (const scenario of SERVER_SCENARIOS) {
      const { code, output } = await run(SUITE, ['server', '--url', url, '--scenario', scenario]);
      counts[code === 0 ? 'passed' : 'failed'].push(scenario);
      counts.output += output;
    }
    proxy.closeAllConnections();
    proxy.close();
  } finally {
    kedge.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  }
  return counts;
}

async function run(file: string, args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [file, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const add = (chunk: string) => {
    output += chunk;
  };
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/** The client scenarios that fail on a busy machine, because they measure a delay of half a second. */
export const TIMED: readonly string[] = ['sse-retry'];

/** The client scenarios that are not supported, with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'auth/cross-app-access-complete-flow': 'signs in with the identity provider of a company',
};

/** Returns one sentence for each scenario whose result is not the expected one. */
export function problemsOf(client: Counts, server: Counts): string[] {
  return [
    ...[...client.failed.filter((name) => !(name in LEFT_OUT)), ...server.failed].map((name) => `${name} fails.`),
    ...client.passed
      .filter((name) => name in LEFT_OUT)
      .map((name) => `${name} passes now. Remove it from LEFT_OUT in scripts/conformance.ts.`),
  ];
}

if (import.meta.main) {
  const client = await clientConformance();
  const server = await serverConformance();
  const problems = problemsOf(client, server);
  if (problems.length > 0) console.log(client.output, server.output);
  for (const [side, { passed, failed }] of Object.entries({ client, server }))
    console.log(`As a ${side}: ${passed.length} of ${passed.length + failed.length} scenarios pass.`);
  for (const [name, reason] of Object.entries(LEFT_OUT)) console.log(`Left out: ${name} (${reason})`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0 || client.passed.length === 0) process.exitCode = 1;
}
