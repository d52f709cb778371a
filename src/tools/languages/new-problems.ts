/** Adds the errors and warnings that a change introduced to the result of the tool call. */
import { type PreparedCall, type Tool, wrapTool } from '../../core/run/tool.ts';
import type { LanguageServices, Problem, ProblemWatch } from '../../workspace/languages.ts';
import { parsePath } from '../../workspace/paths.ts';
import type { Location } from '../../workspace/types.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { countOf } from '../define-tool.ts';
import { problemText } from './get-diagnostics.ts';

const MAX_SHOWN = 10;
/** The maximum number of files that are checked after a change. */
const MAX_FILES = 20;

/** Returns the tool with the new problems appended to the results of calls that change files. */
export function withNewProblems(tool: Tool, workspace: Workspace, languages: LanguageServices): Tool {
  return wrapTool(tool, async (input, signal) => withProblemReport(await tool.prepare(input, signal), workspace, languages));
}

function withProblemReport(prepared: PreparedCall, workspace: Workspace, languages: LanguageServices): PreparedCall {
  const { changes = [], revise } = prepared;
  const files = changes.filter(({ path }) => !path.endsWith('/')).slice(0, MAX_FILES);
  if (files.length === 0) return prepared;
  const at = (path: string) => parsePath(path, workspace.fs.folders);
  const before = files.flatMap(({ path, before }) => (before ? [at(path)] : []));
  // The services can start while the user reviews the change.
  languages.prepare(before);
  return {
    ...prepared,
    ...(revise && { revise: async (revision) => withProblemReport(await revise(revision), workspace, languages) }),
    async execute(context) {
      const watch = await languages.watch(before, context.signal).catch(() => undefined);
      try {
        const output = await prepared.execute(context);
        if (!watch || output.isError || typeof output.content !== 'string') return output;
        const moved = new Map(files.flatMap(({ path, from }) => (from ? [[from, path] as const] : [])));
        const watchedPaths = new Set([...watch.files.map((file) => workspace.display(file)), ...files.flatMap(newPath)]);
        const there = files.filter(({ path, from, after }) => after && (watchedPaths.has(path) || (from && watchedPaths.has(from))));
        const places = there.map(({ path }) => at(path));
        const news = await newProblems(watch, places, moved, workspace).catch(() => []);
        return news.length > 0 ? { ...output, content: `${output.content}\n${problemsText(news, workspace)}` } : output;
      } finally {
        watch?.end();
      }
    },
  };
}

const newPath = ({ path, before, from }: { path: string; before?: string; from?: string }) => (before || from ? [] : [path]);

async function newProblems(
  watch: ProblemWatch,
  files: readonly Location[],
  moved: ReadonlyMap<string, string>,
  workspace: Workspace,
): Promise<Problem[]> {
  // Lines shift with every edit, so a problem with the same message in the same file counts as old.
  const keyOf = ({ at, severity, message }: Problem) => {
    const path = workspace.display(at);
    return [moved.get(path) ?? path, severity, message].join('\0');
  };
  // `watch.before` is complete only after `watch.after` has resolved.
  const after = files.length > 0 ? await watch.after(files) : [];
  const before = new Map<string, number>();
  for (const problem of watch.before) before.set(keyOf(problem), (before.get(keyOf(problem)) ?? 0) + 1);
  return after.filter((problem) => {
    const left = before.get(keyOf(problem)) ?? 0;
    before.set(keyOf(problem), left - 1);
    return left <= 0;
  });
}

function problemsText(news: readonly Problem[], workspace: Workspace): string {
  const worst = news.toSorted((a, b) => a.severity.localeCompare(b.severity) || a.line - b.line).slice(0, MAX_SHOWN);
  const lines = worst.map(({ at, line, ...problem }) => `${workspace.display(at)}:${line} ${problemText(problem)}`);
  const more = news.length - worst.length;
  return [`New problems since this change:`, ...lines, ...(more > 0 ? [`[${countOf(more, 'more problem')}]`] : [])].join('\n');
}
