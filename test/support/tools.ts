/** Runs one tool call after another on real files, without a model. */
import type { Tool } from '../../src/core/run/tool.ts';
import type { NodeFileSystem } from '../../src/hosts/node/files/file-system.ts';
import { NodeWriter } from '../../src/hosts/node/files/writer.ts';
import { DiskBlobs } from '../../src/sessions/blobs.ts';
import { toolsFor } from '../../src/tools/index.ts';
import { WriteGate } from '../../src/workspace/gate.ts';
import { withIgnoreFiles } from '../../src/workspace/ignore.ts';
import type { LanguageServices } from '../../src/workspace/languages.ts';
import { Workspace } from '../../src/workspace/workspace.ts';
import { executeContext } from './context.ts';
import { assistantOn, type Files, type Harness, type HarnessOptions } from './harness.ts';

export type ToolsOnDisk = Harness & {
  tool(name: string): Tool;
  /** Returns what the model would receive. A failure is `ERROR` and its message. */
  use(name: string, input: unknown): Promise<string>;
};

/** `model` selects the edit tool. `languages` simulates the language services of an editor. */
export type ToolsOptions = HarnessOptions & { model?: string; languages?: (fs: NodeFileSystem) => LanguageServices };

export async function toolsOn(files: Files, { model, languages, ...options }: ToolsOptions = {}): Promise<ToolsOnDisk> {
  const harness = await assistantOn(files, [], options);
  const fs = harness.fs as NodeFileSystem;
  const gate = new WriteGate(new Workspace(fs), new NodeWriter(fs), new DiskBlobs(`${harness.storage}/blobs`));
  const workspace = new Workspace(await withIgnoreFiles(fs));
  const hands = { mode: 'agent', gate, ...(model && { model: { provider: 'any', model } }) } as const;
  const tools = new Map(toolsFor(workspace, hands, languages?.(fs)).map((tool) => [tool.name, tool]));
  const { signal } = new AbortController();
  const tool = (name: string) => {
    const found = tools.get(name);
    if (!found) throw new Error(`There is no tool ${name}.`);
    return found;
  };
  return Object.assign(harness, {
    tool,
    use: async (name: string, input: unknown) => {
      try {
        const prepared = await tool(name).prepare(input, signal);
        const { content } = await prepared.execute(executeContext(signal));
        return typeof content === 'string' ? content : JSON.stringify(content);
      } catch (error) {
        return `ERROR ${(error as Error).message}`;
      }
    },
  });
}
