import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContextUse } from '../../../src/core/context/window.ts';
import type {
  AssistantMessage,
  Cost,
  MentionRef,
  ModelRef,
  ToolCall,
  ToolResult,
  Usage,
  UserMessage,
} from '../../../src/core/model/messages.ts';
import type { Plan, PlanStep } from '../../../src/core/plan/plan.ts';
import type { ChangeSummary, CommandLine, Decision, Detail, ServerTool, Target } from '../../../src/core/session/effects.ts';
import {
  type ApprovalAnswer,
  type EventBody,
  type Granted,
  isDurable,
  type Permission,
  type Question,
  type QuestionAnswer,
  type Receipt,
  type RestorePoint,
  type RunError,
  type SessionParent,
  type UndoResult,
} from '../../../src/core/session/events.ts';
import type { RunLimits } from '../../../src/core/session/limits.ts';
import { FIELDS, isLogged } from '../../../src/core/session/shapes/event-shape.ts';

const REFERENCE = '.github/EVENTS.md';

type DisplayedType = Exclude<EventBody['type'], keyof typeof FIELDS>;
/** The names of all fields, for a union the fields of all its members. The type checker requires that none is missing. */
type Names<T> = Record<T extends unknown ? keyof T : never, true>;
type Body<Type extends EventBody['type']> = Omit<Extract<EventBody, { type: Type }>, 'type'>;

/** Displayed events are never read from a log, so the program does not check their fields. */
const displayed: { [Type in DisplayedType]: Names<Body<Type>> } = {
  text_delta: { text: true },
  reasoning_delta: { text: true },
  tool_input_delta: { name: true, text: true },
  model_waiting: { attempt: true, tries: true, reason: true, waitMs: true, silent: true },
  tool_progress: { callId: true, text: true },
  context_compacting: { done: true },
};

const shared = {
  Model: { provider: true, model: true } satisfies Names<ModelRef>,
  ContextUse: { tokens: true, ratio: true, window: true, limit: true } satisfies Names<ContextUse>,
  Limits: { turns: true, callsPerTurn: true, callsPerRun: true, minutes: true, tokens: true, usd: true } satisfies Names<RunLimits>,
  Usage: { input: true, output: true, cached: true, cacheWrite: true, reasoning: true } satisfies Names<Usage>,
  Cost: { usd: true, unpriced: true } satisfies Names<Cost>,
  UserMessage: { role: true, content: true } satisfies Names<UserMessage>,
  MentionRef: { kind: true, path: true, lines: true, name: true, server: true, secret: true } satisfies Names<MentionRef>,
  AssistantMessage: { role: true, content: true, from: true, stop: true, usage: true, usd: true } satisfies Names<AssistantMessage>,
  ToolCall: { type: true, id: true, name: true, input: true, malformed: true, problem: true, replay: true } satisfies Names<ToolCall>,
  ToolResult: { type: true, callId: true, name: true, content: true, isError: true } satisfies Names<ToolResult>,
  Target: { path: true, access: true, outside: true, names: true } satisfies Names<Target>,
  Decision: { kind: true, rule: true, reason: true } satisfies Names<Decision>,
  Change: {
    ...{ path: true, kind: true, from: true, before: true, after: true },
    ...{ added: true, removed: true, diff: true, mode: true, made: true },
  } satisfies Names<ChangeSummary>,
  Command: { text: true, cwd: true, shell: true, background: true, timeoutSeconds: true } satisfies Names<CommandLine>,
  ServerTool: { server: true, tool: true, description: true, details: true } satisfies Names<ServerTool>,
  Detail: { label: true, text: true, isCode: true } satisfies Names<Detail>,
  Permission: {
    ...{ kind: true, tool: true, glob: true, beyondPlan: true, prefix: true, folders: true },
    ...{ host: true, private: true, server: true, fingerprint: true },
  } satisfies Names<Permission>,
  ApprovalAnswer: {
    ...{ approve: true, grant: true, covers: true, revised: true, by: true, widen: true, words: true },
  } satisfies Names<ApprovalAnswer>,
  Granted: { scope: true, covers: true } satisfies Names<Granted>,
  Question: { id: true, text: true, options: true, freeText: true, command: true, reason: true } satisfies Names<Question>,
  QuestionAnswer: { option: true, words: true, by: true } satisfies Names<QuestionAnswer>,
  Plan: {
    ...{ id: true, revision: true, hash: true, supersedes: true, goal: true },
    ...{ steps: true, assumptions: true, checks: true, estimatedCalls: true },
  } satisfies Names<Plan>,
  PlanStep: { title: true, detail: true, files: true, tools: true, agent: true, check: true } satisfies Names<PlanStep>,
  UndoResult: { path: true, outcome: true, reason: true } satisfies Names<UndoResult>,
  RestorePoint: { undoId: true, runId: true, callId: true } satisfies Names<RestorePoint>,
  SessionParent: { sessionId: true, seq: true } satisfies Names<SessionParent>,
  RunError: { kind: true, message: true } satisfies Names<RunError>,
  Receipt: {
    ...{ mode: true, calls: true, effects: true, allowed: true, asked: true, approved: true, rejected: true, denied: true },
    ...{
      failed: true,
      deniedBy: true,
      rules: true,
      compactions: true,
      read: true,
      readCount: true,
      changed: true,
      changedCount: true,
      unchangedSteps: true,
    },
    ...{ commands: true, commandCount: true, hosts: true, hostCount: true, servers: true, canWrite: true },
  } satisfies Names<Receipt>,
};

type Section = { fields: Map<string, string>; example: unknown };

/** Returns the content below each heading of the reference: the type of each field by its name, and the example. */
function sectionsOf(markdown: string): Map<string, Section> {
  return new Map(
    markdown
      .split(/^### /m)
      .slice(1)
      .map((section) => {
        const rows = section.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm);
        const example = /```json\n(.*)\n```/.exec(section)?.[1];
        const fields = new Map([...rows].map(([, name, type]) => [name as string, (type as string).trim()]));
        return [/`(\w+)`/.exec(section)?.[1] ?? section, { fields, example: example && JSON.parse(example) }];
      }),
  );
}

describe(`the reference of events (${REFERENCE})`, () => {
  let sections: Map<string, Section>;

  before(async () => {
    sections = sectionsOf(await readFile(join(import.meta.dirname, '../../..', REFERENCE), 'utf8'));
  });

  const section = (name: string): Section => {
    const found = sections.get(name);
    assert.ok(found, `${REFERENCE} has no section "### \`${name}\`"`);
    return found;
  };
  const expectFields = (name: string, fields: object) =>
    assert.deepEqual([...section(name).fields.keys()].sort(), Object.keys(fields).sort(), `the fields of ${name} in ${REFERENCE}`);

  for (const [type, checks] of Object.entries(FIELDS)) {
    it(`describes ${type} with all of its fields, and shows a valid one`, () => {
      expectFields(type, checks);
      for (const [field, check] of Object.entries(checks as Record<string, (value: unknown) => boolean>)) {
        const isOptional = section(type).fields.get(field)?.endsWith(', optional') ?? false;
        assert.equal(isOptional, check(undefined), `whether ${type}.${field} is optional`);
      }
      const example = section(type).example as EventBody;
      assert.equal(example.type, type);
      assert.ok(isLogged({ ...example, runId: 'run-1', seq: 1, at: 0 }), `the example of ${type} is not a valid event`);
      const unknown = Object.keys(example).filter((key) => key !== 'type' && !(key in checks));
      assert.deepEqual(unknown, [], `the example of ${type} has fields that it does not have`);
    });
  }

  for (const [type, fields] of Object.entries(displayed)) {
    it(`describes ${type}, which is only displayed, with all of its fields`, () => {
      expectFields(type, fields);
      const example = section(type).example as EventBody;
      assert.equal(example.type, type);
      assert.equal(isDurable(example), false);
      assert.deepEqual(
        Object.keys(example).filter((key) => key !== 'type' && !(key in fields)),
        [],
      );
    });
  }

  for (const [type, fields] of Object.entries(shared)) {
    it(`describes the shared type ${type} with all of its fields`, () => expectFields(type, fields));
  }

  it('describes nothing that does not exist', () => {
    const known = [...Object.keys(FIELDS), ...Object.keys(displayed), ...Object.keys(shared), 'Check'];
    assert.deepEqual([...sections.keys()].sort(), known.sort());
  });
});
