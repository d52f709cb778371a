/** Adds rules files, memory and surroundings to what the model receives. */
import type { NotePart } from '../../core/model/messages.ts';
import { note } from '../../core/model/notes.ts';
import type { PreparedCall } from '../../core/run/tool.ts';
import type { EventBody } from '../../core/session/events.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { listSkills, type Skill, skillsNote } from '../customizations/skills.ts';
import { lessonNotes } from '../lessons/notes.ts';
import { DEFAULT_MEMORY_TOKENS } from '../limits.ts';
import { isAllocated, windowOf } from '../models/context-window.ts';
import type { AssistantPorts } from '../ports.ts';
import { mcpDenialFor, withheldFilterOf, withSessionRules } from '../run/judge.ts';
import { memoryNotes } from './memory.ts';
import { Rules, rulesLimits } from './rules.ts';
import { surroundingsNote } from './surroundings.ts';

export type RunContext = {
  /** The skills that the model can read. */
  skills: readonly Skill[];
  /** Adds the notes to the user's first message in a run. Other events are returned unchanged. */
  added(event: EventBody): EventBody;
  /** Returns the rules that apply to the files of a call and that the model has not received yet. */
  rulesFor(call: PreparedCall): Promise<NotePart[]>;
};

/** @throws Error when an ignore file exists but cannot be read. */
export async function contextOf(
  run: RunRecord,
  { state, sessionId }: { state: SessionState; sessionId: string },
  ports: AssistantPorts,
): Promise<RunContext> {
  const { mode, model, prompt } = run;
  const trusted = ports.trusted();
  const ruled = withSessionRules(ports, state);
  const workspace = new Workspace(await withIgnoreFiles(ports.fileSystem()), withheldFilterOf(ruled));
  const window = windowOf(model, ports, isAllocated(model) ? await ports.memory?.(model) : undefined);
  const rules = trusted ? new Rules(workspace, rulesLimits(window)) : undefined;
  const { memory } = ports.settings;
  const told = state.messages.telling();
  const [rulesNotes, memories, lessons, surroundings, skills, servers] = await Promise.all([
    rules?.atStart(told),
    ports.remembered && memoryNotes(ports.remembered, told, memory?.() ?? DEFAULT_MEMORY_TOKENS),
    ports.remembered && lessonNotes(ports.remembered, told, run.plan?.goal ?? prompt, memory?.() ?? DEFAULT_MEMORY_TOKENS),
    ports.surroundings?.(),
    skillsFor(ruled, sessionId),
    // The tools of the servers are not part of each request. A model that is asked about them receives a description of them.
    trusted && /\bMCP\b/i.test(prompt) ? ports.mcp?.overview?.(mode, mcpDenialFor(run, ruled)) : undefined,
  ]);
  const before: NotePart[] = [...(rulesNotes ?? []), ...(memories ?? []), ...(lessons ?? []), ...(await skillsNote(skills, told))];
  const after = [
    ...(surroundings ? surroundingsNote(surroundings, told, { fs: workspace.fs, trusted, isWithheld: workspace.withheldFiles() }) : []),
    ...(servers ? [note('servers', servers)] : []),
  ];
  let isAdded = before.length + after.length === 0;
  return {
    skills,
    added(event) {
      if (isAdded || event.type !== 'message_added' || event.message.role !== 'user') return event;
      isAdded = true;
      return { ...event, message: { role: 'user', content: [...before, ...event.message.content, ...after] } };
    },
    async rulesFor(call) {
      // The results of other calls of the same answer are not part of the messages yet.
      const messages = () => [...state.messages.telling(), { role: 'tool' as const, content: [...state.results.values()] }];
      return (await rules?.forCall(call, messages)) ?? [];
    },
  };
}

/** Returns the skills that are offered to the model. A run that answers from documents alone has none. */
async function skillsFor(ports: AssistantPorts, sessionId: string): Promise<Skill[]> {
  const offered = (await listSkills(ports)).skills.filter(({ isOffered }) => isOffered);
  return offered.length > 0 && (await ports.documents?.(sessionId))?.alone ? [] : offered;
}
