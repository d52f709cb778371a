import { type Tool, wrapTool } from '../core/run/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * A tool that changes files reads them when it prepares a call, before the user approves the call. If reading one of the files needs an
 * approval, the policy judges the call as a read too, and an error of the call is reported only after the approval. Otherwise a model could
 * find out the content by trying edits until one of them applies.
 */
export function judgedByReads(make: (workspace: Workspace) => Tool, workspace: Workspace): Tool {
  return wrapTool(make(workspace), async (input, signal) => {
    const read = new Set<string>();
    const noting = workspace.withReadNotes((path) => read.add(path));
    try {
      const call = await make(noting).prepare(input, signal);
      return read.size > 0 ? { ...call, readToPrepare: [...read] } : call;
    } catch (error) {
      if (read.size === 0 || signal.aborted) throw error;
      const paths = [...read];
      return {
        title: `Tell the model why its change to ${paths.join(', ')} fails`,
        targets: paths.map((path) => ({ path, access: 'read' })),
        readToPrepare: paths,
        execute: () => Promise.reject(error),
      };
    }
  });
}
