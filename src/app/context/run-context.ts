/** What a model is told besides the conversation: rules files, memory and surroundings. */
import type { NotePart } from '../../core/model/messages.ts';
import type { PreparedCall } from '../../core/run/tool.ts';
import type { EventBody } from '../../core/session/events.ts';
import type { RunRecord, SessionState } from '../../core/session/session-state.ts';
import { withIgnoreFiles } from '../../workspace/ignore.ts';
import { Workspace } from '../../workspace/workspace.ts';
import { DEFAULT_MEMORY_TOKENS } from '../limits.ts';
import { windowOf } from '../models/context-window.ts';
import type { AssistantPorts } from '../ports.ts';
import { withheldFilterOf } from '../run/judge.ts';
import { memoryNotes } from './memory.ts';
import { Rules, rulesLimits } from './rules.ts';
import { surroundingsNote } from './surroundings.ts';

export type RunContext = {
  /** Adds the notes to the first message of the user in a run. Other events are returned unchanged. */
  added(event: EventBody): EventBody;
  /** Returns the rules that concern the files of a call and that the model does not know yet. */
  rulesFor(call: PreparedCall): Promise<NotePart[]>;
};

/** @throws Error when an ignore file exists but cannot be read. */
export async function contextOf({ model }: RunRecord, { state }: { state: SessionState }, ports: AssistantPorts): Promise<RunContext> {
  const trusted = ports.trusted();
  const workspace = new Workspace(await withIgnoreFiles(ports.fileSystem()), withheldFilterOf(ports));
  const window = windowOf(model, ports, await ports.memory?.(model));
  const rules = trusted ? new Rules(workspace, rulesLimits(window)) : undefined;
  const { memory } = ports.settings;
  const [rulesNotes, memories, surroundings] = await Promise.all([
    rules?.atStart(state.messages),
    ports.remembered && memoryNotes(ports.remembered, state.messages, memory?.() ?? DEFAULT_MEMORY_TOKENS),
    ports.surroundings?.(),
  ]);
  const before: NotePart[] = [...(rulesNotes ?? []), ...(memories ?? [])];
  const after = surroundings
    ? surroundingsNote(surroundings, state.messages, { fs: workspace.fs, trusted, isWithheld: workspace.withheldFiles() })
    : [];
  let isAdded = before.length + after.length === 0;
  return {
    added(event) {
      if (isAdded || event.type !== 'message_added' || event.message.role !== 'user') return event;
      isAdded = true;
      return { ...event, message: { role: 'user', content: [...before, ...event.message.content, ...after] } };
    },
    async rulesFor(call) {
      // The results of other calls of the same answer are not part of the messages yet.
      const messages = () => [...state.messages, { role: 'tool' as const, content: [...state.results.values()] }];
      return (await rules?.forCall(call, messages)) ?? [];
    },
  };
}
