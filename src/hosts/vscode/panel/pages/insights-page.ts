/** The insights page: statistics about the sessions of this or of all workspaces, which are updated while the page is shown. */
import * as vscode from 'vscode';
import { cellsIn, csvOf, insightsOf, type Period, periodOf, type Range } from '../../../../core/insights/insights.ts';
import type { EventBody } from '../../../../core/session/events.ts';
import type { RequestOf } from '../../../../protocol/pages.ts';
import type { Page, PagePorts } from './page.ts';

/** The events after which the plots are updated. Other events hardly change the plots. */
const ENDS: ReadonlySet<EventBody['type']> = new Set(['run_started', 'run_paused', 'run_finished', 'answer_rated']);
const DEFAULT_RANGE: Range = 30;

export function insightsPage({ kedge, post }: PagePorts<'insights'>): Page<'insights'> {
  return new InsightsPage(kedge, post);
}

class InsightsPage implements Page<'insights'> {
  readonly #assistant: PagePorts<'insights'>['kedge']['assistant'];
  readonly #post: PagePorts<'insights'>['post'];
  readonly #unwatch: () => void;
  #range: Range = DEFAULT_RANGE;
  #everywhere = false;
  /** Reading stops when the user leaves the page or newer counts are requested. */
  #reading = new AbortController();

  constructor({ assistant }: PagePorts<'insights'>['kedge'], post: PagePorts<'insights'>['post']) {
    this.#assistant = assistant;
    this.#post = post;
    this.#unwatch = assistant.watch((_, { type }) => {
      if (ENDS.has(type)) void this.post();
    });
  }

  async post(): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    const range = this.#range;
    const everywhere = this.#everywhere;
    const sessions = await this.#sessions(signal);
    if (sessions) this.#post({ range, ...(everywhere && { everywhere }), insights: insightsOf(sessions, this.#period(range)) });
  }

  async handle(request: RequestOf<'insights'>): Promise<void> {
    switch (request.type) {
      case 'choose_range':
        this.#range = request.range;
        return this.post();
      case 'count_workspaces':
        this.#everywhere = request.everywhere;
        return this.post();
      case 'export_insights': {
        const sessions = await (await this.#assistant.library()).insights(undefined, { everywhere: this.#everywhere });
        return openCsv(csvOf(cellsIn(sessions, this.#period(this.#range))));
      }
    }
  }

  async #sessions(signal: AbortSignal) {
    try {
      const sessions = await (await this.#assistant.library()).insights(signal, { everywhere: this.#everywhere });
      return signal.aborted ? undefined : sessions;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  #period(range: Range): Period {
    return periodOf(range || undefined, Date.now());
  }

  dispose(): void {
    this.#unwatch();
    this.#reading.abort();
  }
}

/** Opens a document that is not saved. VS Code supports the language CSV only with an extension. */
async function openCsv(content: string): Promise<void> {
  const isKnown = (await vscode.languages.getLanguages()).includes('csv');
  const document = await vscode.workspace.openTextDocument({ content, ...(isKnown && { language: 'csv' }) });
  await vscode.window.showTextDocument(document, { preview: false });
}
