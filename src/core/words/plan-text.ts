/** Describes plan events for hosts that display lines of text. */

import { shortHash } from '../plan/hash.ts';
import { checkText } from '../plan/plan.ts';
import type { AgentEvent } from '../session/events.ts';
import { visibleLine } from './visible-text.ts';

type PlanEvent = Extract<AgentEvent, { type: 'step_checked' | 'plan_checked' | 'step_rolled_back' | 'plan_revised' }>;

const OUTCOME = { passed: 'passed', failed: 'failed', not_run: 'could not run' } as const;

/** Describes the event. The first line can be displayed alone; further lines are the output of a check or the files that were refused. */
export function planEventText(event: PlanEvent): string {
  switch (event.type) {
    case 'step_checked':
      return [`Check ${OUTCOME[event.outcome]}: ${visibleLine(checkText(event.check))}`, event.output].filter(Boolean).join('\n');
    case 'plan_checked':
      return [`Check at the end ${OUTCOME[event.outcome]}: ${visibleLine(checkText(event.check, 'plan'))}`, event.output]
        .filter(Boolean)
        .join('\n');
    case 'step_rolled_back': {
      const refused = event.results.filter(({ outcome }) => outcome === 'refused').map(({ path, reason }) => `${path}: ${reason}`);
      return [`Step ${event.step} was rolled back${refused.length > 0 ? ', except these files:' : '.'}`, ...refused].join('\n');
    }
    case 'plan_revised': {
      const hash = shortHash(event.plan);
      return `The plan is now revision ${event.plan.revision}${hash ? ` (${hash})` : ''}. ${event.reason}`;
    }
  }
}
