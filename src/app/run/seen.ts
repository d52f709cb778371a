/**
 * Determines whether the conversation of a session contains secrets, or content from other programs and hosts. This matters when the model
 * sends data.
 */
import { mentionsOf } from '../../core/model/notes.ts';
import type { AgentEvent } from '../../core/session/events.ts';
import type { EventFacts, EventList } from '../../core/session/lists.ts';
import type { PolicyInput } from '../../policy/policy-input.ts';
import { isSecret } from '../../policy/secrets.ts';

type Seen = NonNullable<PolicyInput['seen']>;

/** The events that show it. The results of calls are not included, because they are by far the largest events. */
const TELLING: ReadonlySet<AgentEvent['type']> = new Set(['message_added', 'approval_requested', 'approval_resolved', 'tool_started']);

/**
 * Returns a function that returns true if the conversation contains secrets, or content from other programs and hosts. Each call reads only
 * the events that were added since the last one.
 * @param places returns all workspace paths that a path can refer to
 */
export function seenIn(events: EventList, places: (path: string) => readonly string[]): () => Seen {
  const isTelling = ({ type }: EventFacts) => TELLING.has(type);
  const secretApprovals = new Set<string>();
  let [secret, strangers] = [false, false];
  let length = 0;
  const add = (event: AgentEvent) => {
    switch (event.type) {
      case 'message_added': {
        const mentions = mentionsOf(event.message);
        secret ||= mentions.some((mention) => mention.secret);
        strangers ||= mentions.some(({ kind }) => kind === 'url' || kind === 'resource' || kind === 'session');
        break;
      }
      case 'approval_requested':
        // Only the approval request records which paths a glob or link expanded to.
        if (event.secret) secretApprovals.add(event.approvalId);
        break;
      case 'approval_resolved':
        secret ||= event.answer.approve && secretApprovals.has(event.approvalId);
        break;
      case 'tool_started': {
        const { decision, name, targets, command, source, hosts } = event;
        if (decision.kind !== 'allow') break;
        secret ||= targets.some(({ path, access }) => access === 'read' && places(path).some(isSecret));
        secret ||= command?.split(/[\s'"`;|&<>()=:@\\]+/).some((word) => word !== '' && isSecret(word)) ?? false;
        // A collection may have been fetched from the network, or hold documents of others.
        strangers ||= source !== undefined || (hosts?.length ?? 0) > 0 || name.startsWith('documents_');
        break;
      }
    }
  };
  return () => {
    for (const event of events.select(isTelling, length)) add(event);
    length = events.length;
    return { secret, strangers };
  };
}
