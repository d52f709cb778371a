import type { Tool } from '../core/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * A tool that changes files reads them to prepare a call, before anybody was asked. Where reading needs leave, the call is judged by these files
 * too, and why it cannot be carried out is told only then: otherwise a model could guess until a guess fits.
 */
export function judgedByReads(make: (workspace: Workspace) => Tool, workspace: Workspace): Tool {
  const { name, description, effect, source, ...rest } = make(workspace);
  return {
    name,
    description,
    effect,
    source,
    get inputSchema() {
      return rest.inputSchema;
    },
    async prepare(input, signal) {
      const read = new Set<string>();
      const noting = workspace.noting((path) => read.add(path));
      try {
        const call = await make(noting).prepare(input, signal);
        return read.size > 0 ? { ...call, readToPrepare: [...read] } : call;
      } catch (error) {
        if (read.size === 0 || signal.aborted) throw error;
        const paths = [...read];
        return {
          title: `Tell the model why it cannot change ${paths.join(', ')} like this`,
          targets: paths.map((path) => ({ path, access: 'read' })),
          readToPrepare: paths,
          execute: () => Promise.reject(error),
        };
      }
    },
  };
}
