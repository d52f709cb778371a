/**
 * A long task for models with small context windows: a plan of 12 steps, 159 calls, 3 MB of results, and facts that are needed at the end.
 */
import { createAdapter } from '../../src/providers/openai-chat/index.ts';
import { assistantOn, type Harness, lastOf } from './harness.ts';
import { type Reply, startWindowServer, textOfWire, type WindowRequest } from './window-server.ts';

export const STEPS = 12;
const READS = 10;
const FILE_LINES = 420;
export const FACTS = { harbour: 'K-4711-harbour', tide: 'T-0815-tide', crew: 'C-2342-crew' };
const PROMPT = `Refit all parts of the ship. Remember for later: the crew code is ${FACTS.crew}.`;
const LATER = ['While you are at it: never touch the file keel.txt.', 'One more thing: the figurehead must stay green.'];

export const partOf = (step: number) => `parts/part-${step}.txt`;
const logOf = (step: number, read: number) => `logs/${step}-${read}.txt`;

function files(): Record<string, string> {
  const all: Record<string, string> = {};
  for (let step = 1; step <= STEPS; step++) {
    all[partOf(step)] = `part ${step}: old\n`;
    for (let read = 1; read <= READS; read++) {
      const lines = Array.from(
        { length: FILE_LINES },
        (_, line) => `${step}.${read}.${line} the planks of the ship are made of oak ${line * 7919}`,
      );
      if (step === 1 && read === 2) lines[12] = `the code of the harbour is ${FACTS.harbour}`;
      if (step === 2 && read === 5) lines[14] = `the code of the tide is ${FACTS.tide}`;
      all[logOf(step, read)] = `${lines.join('\n')}\n`;
    }
  }
  return all;
}

/**
 * Simulates the model: it gives these answers one after another, regardless of the conversation, and answers each request for a
 * summary.
 */
function model(): { reply: (request: WindowRequest) => Reply; asked: () => number; answer: () => string } {
  const plan = {
    goal: 'Refit the ship',
    steps: Array.from({ length: STEPS }, (_, index) => ({ title: `Refit part ${index + 1}`, files: [partOf(index + 1)] })),
  };
  const script: Reply[] = [[{ name: 'propose_plan', input: plan }]];
  for (let step = 1; step <= STEPS; step++) {
    script.push([{ name: 'update_step', input: { step, status: 'started' } }]);
    for (let read = 1; read <= READS; read++) script.push([{ name: 'read_file', input: { path: logOf(step, read) } }]);
    script.push([
      { name: 'replace_in_file', input: { path: partOf(step), edits: [{ old_text: 'old', new_text: 'new' }] } },
      { name: 'update_step', input: { step, status: 'done', note: `part ${step} is new` } },
    ]);
  }
  for (const words of ['code of the harbour', 'code of the tide']) script.push([{ name: 'recall', input: { what: words } }]);
  let next = 0;
  let answered = '';
  return {
    asked: () => next,
    answer: () => answered,
    reply: (request) => {
      if (isForSummary(request)) return 'Goal: refit the ship. Next: the next step.';
      const reply = script[next++];
      if (reply) return reply;
      const found = Object.values(FACTS).filter((fact) => request.text.includes(fact));
      answered = `The codes are ${found.join(', ')}.`;
      return answered;
    },
  };
}

export const isForSummary = ({ messages }: WindowRequest) => /is about to be compacted/.test(textOfWire(messages.at(-1) ?? { role: '' }));

/** Carries out the task with a model of `window` tokens, and with a service that refuses longer requests. */
export async function longTask(
  window: number,
  use: (task: { kedge: Harness; requests: readonly WindowRequest[]; answer: string }) => Promise<void>,
): Promise<void> {
  const { reply, answer } = model();
  const server = await startWindowServer({ window }, reply);
  try {
    const adapter = createAdapter({ apiKey: 'key', baseUrl: `${server.url}/v1` });
    const limits = { turns: 1_000, callsPerRun: 1_000 };
    await using kedge = await assistantOn(files(), [], { adapter, limits, facts: () => ({ contextWindow: window }) });
    const { session } = kedge;
    await session.prompt({ text: PROMPT, mode: 'plan' });
    let said = 0;
    session.subscribe((event) => {
      if (event.type === 'plan_step' && event.status === 'done' && (event.step === 4 || event.step === 7))
        void session.say({ text: LATER[said++] as string, mode: 'agent' });
    });
    await session.plans.answer(lastOf(kedge.events, 'plan_proposed').plan.id, 'run');
    await use({ kedge, requests: server.requests, answer: answer() });
  } finally {
    await server.close();
  }
}
