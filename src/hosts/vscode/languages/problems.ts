/** The errors and warnings that VS Code shows, and the new problems that a change causes. */
import * as vscode from 'vscode';
import { abortable } from '../../../core/abort.ts';
import type { Problem, ProblemWatch } from '../../../workspace/languages.ts';
import type { Location } from '../../../workspace/types.ts';
import type { VsCodeFileSystem } from '../files/file-system.ts';
import { kindOf, type ProblemKinds } from './problem-kinds.ts';
import { askTypeScript, type TypeScriptProblem } from './typescript.ts';

/** How long to wait for a language service, in milliseconds. */
export interface Patience {
  /**
   * The time limit before a change, for the problems of the unchanged files. A service that does not answer in this time and has never
   * answered is assumed to be still starting. Kedge does not wait for such a service after the change.
   */
  beforeMs: number;
  /** The time limit after a change, for a service that has answered before. */
  afterMs: number;
  /** The time limit when the model only asks for problems. */
  queryMs: number;
}

const PATIENCE: Patience = { beforeMs: 300, afterMs: 1_000, queryMs: 3_000 };
/** How long to wait for the next report of a service that reports in several steps, for example syntax errors first. */
const QUIET_MS = 100;

type Inspection = { at: Location; problems: Problem[]; hasAnswered: boolean; isCertain: boolean };

export class Problems {
  readonly #fs: () => VsCodeFileSystem;
  readonly #open: (uri: vscode.Uri) => Promise<vscode.TextDocument>;
  /** The file extensions for which problems have been reported. Kedge waits for reports only on files with these extensions. */
  readonly #problemKinds: Pick<ProblemKinds, 'has'>;
  /** The file extensions for which the TypeScript service has answered before. */
  readonly #warm = new Set<string>();
  readonly #patience: Patience;

  /** `open` opens a document and activates the extensions of its language. */
  constructor(
    fs: () => VsCodeFileSystem,
    problemKinds: Pick<ProblemKinds, 'has'>,
    open: (uri: vscode.Uri) => Promise<vscode.TextDocument>,
    patience = PATIENCE,
  ) {
    this.#fs = fs;
    this.#problemKinds = problemKinds;
    this.#open = open;
    this.#patience = patience;
  }

  async of(at: Location | undefined, signal: AbortSignal): Promise<Problem[]> {
    if (!at) return vscode.languages.getDiagnostics().flatMap(([uri]) => this.#reported(uri));
    const reports = new Reports();
    try {
      return (await this.#inspect(at, reports, AbortSignal.any([signal, AbortSignal.timeout(this.#patience.queryMs)]))).problems;
    } finally {
      reports.end();
    }
  }

  async watch(files: readonly Location[], signal: AbortSignal): Promise<ProblemWatch> {
    const reports = new Reports();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#patience.beforeMs)]);
    const pending = files.map((at) => ({ at, kind: kindOf(this.#fs().uri(at)), inspection: this.#inspect(at, reports, limit, signal) }));
    const inspections = await Promise.all(pending.map(({ inspection }) => inTime(inspection, limit)));
    const certain = inspections.flatMap((each) => (each?.isCertain ? [each] : []));
    const unanswered = pending.filter((_, index) => !inspections[index]?.hasAnswered);
    // The services received these requests before the change, so their late answers still describe the unchanged files.
    const busy = unanswered.filter(({ kind }) => this.#warm.has(kind));
    const cold = new Set(unanswered.filter((each) => !busy.includes(each)).map(({ kind }) => kind));
    const before = certain.flatMap(({ problems }) => problems);
    // Reports from now on are about the change.
    reports.forget();
    return {
      files: [...certain, ...busy].map(({ at }) => at),
      before,
      after: async (now) => {
        const late = AbortSignal.any([signal, AbortSignal.timeout(this.#patience.afterMs)]);
        const uris = now.map((at) => this.#fs().uri(at));
        const [lateInspections, exact] = await Promise.all([
          Promise.all(busy.map(({ inspection }) => inTime(inspection, late))),
          Promise.all(uris.map((uri) => (cold.has(kindOf(uri)) ? undefined : this.#exact(uri, late)))),
        ]);
        if (!lateInspections.every((each) => each?.isCertain)) return [];
        before.push(...lateInspections.flatMap((each) => each?.problems ?? []));
        await reports.waitFor(
          uris.filter((uri, index) => !exact[index] && !cold.has(kindOf(uri)) && this.#canReport(uri)),
          late,
        );
        return uris.flatMap((uri, index) => this.#all(now[index] as Location, uri, exact[index]));
      },
      end: () => reports.end(),
    };
  }

  async #exact(uri: vscode.Uri, limit: AbortSignal): Promise<TypeScriptProblem[] | undefined> {
    return inTime(
      this.#open(uri).then((document) => askTypeScript(document, limit)),
      limit,
    );
  }

  /** Collects the problems of a file. `hasAnswered` means that no service timed out. `isCertain` means that a service has checked the current file; otherwise, a problem that is reported later may not be new. */
  async #inspect(at: Location, reports: Reports, limit: AbortSignal, signal = limit): Promise<Inspection> {
    const uri = this.#fs().uri(at);
    const wasOpen = vscode.workspace.textDocuments.some((document) => String(document.uri) === String(uri));
    const document = await this.#open(uri);
    const exact = await askTypeScript(document, signal);
    if (exact) this.#warm.add(kindOf(uri));
    const canReport = this.#canReport(uri);
    if (!exact && canReport && !wasOpen) await reports.waitFor([uri], limit);
    const hasAnswered = exact !== undefined || !limit.aborted;
    return {
      at,
      problems: this.#all(at, uri, exact),
      hasAnswered,
      isCertain: exact !== undefined || (hasAnswered && (canReport || wasOpen)),
    };
  }

  #all(at: Location, uri: vscode.Uri, exact: TypeScriptProblem[] | undefined): Problem[] {
    return exact ? [...exact.map((problem) => ({ at, ...problem })), ...this.#reported(uri, 'ts')] : this.#reported(uri);
  }

  #canReport(uri: vscode.Uri): boolean {
    return this.#problemKinds.has(kindOf(uri)) || vscode.languages.getDiagnostics(uri).length > 0;
  }

  /** Returns the problems that VS Code shows for a file, except problems from the source `without`. */
  #reported(uri: vscode.Uri, without?: string): Problem[] {
    const at = this.#fs().locate(uri);
    if (!at) return [];
    return vscode.languages.getDiagnostics(uri).flatMap(({ severity, message, range, source, code }) => {
      if (severity > vscode.DiagnosticSeverity.Warning || (without !== undefined && source === without)) return [];
      const number = typeof code === 'object' ? code.value : code;
      const from = [source, number].filter((each) => each !== undefined).join(' ');
      const kind = severity === vscode.DiagnosticSeverity.Error ? 'error' : 'warning';
      return [{ at, line: range.start.line + 1, severity: kind, message: from ? `${message} [${from}]` : message }];
    });
  }
}

/** Tracks the files for which diagnostics have been reported since its creation or the last `forget`. */
class Reports {
  readonly #seen = new Set<string>();
  #wake: () => void = () => undefined;
  readonly #listener = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    for (const uri of uris) this.#seen.add(String(uri));
    this.#wake();
  });

  forget(): void {
    this.#seen.clear();
  }

  end(): void {
    this.#listener.dispose();
    this.#wake();
  }

  /** Resolves when every file has been reported on and no report has followed for `QUIET_MS`, or when `limit` aborts. */
  async waitFor(uris: readonly vscode.Uri[], limit: AbortSignal): Promise<void> {
    if (uris.length === 0) return;
    const names = uris.map(String);
    while (names.some((name) => !this.#seen.has(name)) && (await this.#next(limit)));
    while (await this.#next(AbortSignal.any([limit, AbortSignal.timeout(QUIET_MS)])));
  }

  /** Resolves to true at the next report, or to false when `limit` aborts. */
  #next(limit: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (limit.aborted) return resolve(false);
      const over = () => resolve(false);
      limit.addEventListener('abort', over, { once: true });
      const before = this.#wake;
      this.#wake = () => {
        before();
        this.#wake = () => undefined;
        limit.removeEventListener('abort', over);
        resolve(true);
      };
    });
  }
}

/** Resolves to undefined if the work fails or does not end before `limit` aborts. */
function inTime<T>(work: Promise<T>, limit: AbortSignal): Promise<T | undefined> {
  return abortable(work, limit).catch(() => undefined);
}
