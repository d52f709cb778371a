/** Errors and warnings as the editor knows them, and what a change brings. */
import * as vscode from 'vscode';
import { abortable } from '../../../core/abort.ts';
import type { Problem, ProblemWatch } from '../../../workspace/languages.ts';
import type { Location } from '../../../workspace/types.ts';
import type { VsCodeFileSystem } from '../files/file-system.ts';
import { kindOf, type ProblemKinds } from './problem-kinds.ts';
import { askTypeScript, type Found } from './typescript.ts';

/** So long at most a change waits for what is known before it. Who never answered is cold by then: nobody waits for it after the change. */
const BEFORE_MS = 300;
/** So long at most a service that answered is waited for after a change. */
const AFTER_MS = 1_000;
/** So long where problems are all that is asked for. */
const ASKED_MS = 3_000;
/** A service that reports in several steps, syntax first, is given this long for the next one. */
const QUIET_MS = 100;

type Look = { at: Location; problems: Problem[]; answered: boolean; certain: boolean };

export class Problems {
  readonly #fs: () => VsCodeFileSystem;
  readonly #open: (uri: vscode.Uri) => Promise<vscode.TextDocument>;
  /** Of which somebody found something: that there is nothing is said of all. */
  readonly #answering: Pick<ProblemKinds, 'has'>;
  /** Kinds of files of which the TypeScript service has answered. */
  readonly #warm = new Set<string>();

  /** `open` opens a document and wakes the services of its language. */
  constructor(fs: () => VsCodeFileSystem, answering: Pick<ProblemKinds, 'has'>, open: (uri: vscode.Uri) => Promise<vscode.TextDocument>) {
    this.#fs = fs;
    this.#answering = answering;
    this.#open = open;
  }

  async of(at: Location | undefined, signal: AbortSignal): Promise<Problem[]> {
    if (!at) return vscode.languages.getDiagnostics().flatMap(([uri]) => this.#known(uri));
    const reports = new Reports();
    try {
      return (await this.#look(at, reports, AbortSignal.any([signal, AbortSignal.timeout(ASKED_MS)]))).problems;
    } finally {
      reports.end();
    }
  }

  async watch(files: readonly Location[], signal: AbortSignal): Promise<ProblemWatch> {
    const reports = new Reports();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(BEFORE_MS)]);
    const pending = files.map((at) => ({ at, kind: kindOf(this.#fs().uri(at)), look: this.#look(at, reports, limit, signal) }));
    const looks = await Promise.all(pending.map(({ look }) => inTime(look, limit)));
    const certain = looks.flatMap((look) => (look?.certain ? [look] : []));
    const unanswered = pending.filter((_, index) => !looks[index]?.answered);
    // Asked before the change it answers about what was before the change, even if only after it.
    const busy = unanswered.filter(({ kind }) => this.#warm.has(kind));
    const cold = new Set(unanswered.filter((each) => !busy.includes(each)).map(({ kind }) => kind));
    const before = certain.flatMap(({ problems }) => problems);
    // What is reported from now on is about the change.
    reports.forget();
    return {
      files: [...certain, ...busy].map(({ at }) => at),
      before,
      after: async (now) => {
        const late = AbortSignal.any([signal, AbortSignal.timeout(AFTER_MS)]);
        const uris = now.map((at) => this.#fs().uri(at));
        const [came, exact] = await Promise.all([
          Promise.all(busy.map(({ look }) => inTime(look, late))),
          Promise.all(uris.map((uri) => (cold.has(kindOf(uri)) ? undefined : this.#exact(uri, late)))),
        ]);
        if (!came.every((look) => look?.certain)) return [];
        before.push(...came.flatMap((look) => look?.problems ?? []));
        await reports.on(
          uris.filter((uri, index) => !exact[index] && !cold.has(kindOf(uri)) && this.#answers(uri)),
          late,
        );
        return uris.flatMap((uri, index) => this.#all(now[index] as Location, uri, exact[index]));
      },
      end: () => reports.end(),
    };
  }

  async #exact(uri: vscode.Uri, limit: AbortSignal): Promise<Found[] | undefined> {
    return inTime(
      this.#open(uri).then((document) => askTypeScript(document, limit)),
      limit,
    );
  }

  /** `answered` where nobody was waited for in vain; `certain` where somebody looked at the file as it is: else what is found later may be there already. */
  async #look(at: Location, reports: Reports, limit: AbortSignal, signal = limit): Promise<Look> {
    const uri = this.#fs().uri(at);
    const wasOpen = vscode.workspace.textDocuments.some((document) => String(document.uri) === String(uri));
    const document = await this.#open(uri);
    const exact = await askTypeScript(document, signal);
    if (exact) this.#warm.add(kindOf(uri));
    const answers = this.#answers(uri);
    if (!exact && answers && !wasOpen) await reports.on([uri], limit);
    const answered = exact !== undefined || !limit.aborted;
    return { at, problems: this.#all(at, uri, exact), answered, certain: exact !== undefined || (answered && (answers || wasOpen)) };
  }

  #all(at: Location, uri: vscode.Uri, exact: Found[] | undefined): Problem[] {
    return exact ? [...exact.map((found) => ({ at, ...found })), ...this.#known(uri, 'ts')] : this.#known(uri);
  }

  #answers(uri: vscode.Uri): boolean {
    return this.#answering.has(kindOf(uri)) || vscode.languages.getDiagnostics(uri).length > 0;
  }

  /** What the editor shows of a file, but for what one source said. */
  #known(uri: vscode.Uri, without?: string): Problem[] {
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

/** On which files something was reported since. */
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

  /** Resolves when all of them were reported on and nothing more follows, or at the limit. */
  async on(uris: readonly vscode.Uri[], limit: AbortSignal): Promise<void> {
    if (uris.length === 0) return;
    const names = uris.map(String);
    while (names.some((name) => !this.#seen.has(name)) && (await this.#next(limit)));
    while (await this.#next(AbortSignal.any([limit, AbortSignal.timeout(QUIET_MS)])));
  }

  /** Whether something was reported before the limit. */
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

/** undefined where it fails or is late. */
function inTime<T>(work: Promise<T>, limit: AbortSignal): Promise<T | undefined> {
  return abortable(work, limit).catch(() => undefined);
}
