import { type Tool, wrapTool } from '../core/run/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * A tool that changes files reads them to prepare a call, before the user is asked. When reading one of them needs an approval, the call is
 * judged as a read, too, and the reason why it fails is reported only after that approval. Otherwise a model could guess the content until
 * an edit fits.
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
        title: `Tell the model why its change of ${paths.join(', ')} fails`,
        targets: paths.map((path) => ({ path, access: 'read' })),
        readToPrepare: paths,
        execute: () => Promise.reject(error),
      };
    }
  });
}
