/** The replay page: the events of the session that the panel shows. */
import { rootRunId } from '../../../../core/session/children/child-ids.ts';
import { newestRuns } from '../newest-runs.ts';
import type { Page, PagePorts } from './page.ts';

export function replayPage({ kedge, post }: PagePorts<'replay'>): Page<'replay'> {
  return {
    async post() {
      const { events, state } = await kedge.sessions.current();
      // A replay shows the same runs as the panel at first.
      const shown = newestRuns([...state.runs.keys()], events.facts(), 1);
      post({ events: events.select(({ runId }) => shown.has(rootRunId(runId))), earlierRuns: state.runs.size - shown.size });
    },
    handle: async () => {},
    dispose() {},
  };
}
