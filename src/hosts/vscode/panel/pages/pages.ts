/** The host's side of the pages of the panel. Each is loaded when it is first shown. */
import type * as vscode from 'vscode';
import type { PageName, PageRequest } from '../../../../protocol/pages.ts';
import type { ToHost, ToPanel } from '../../../../protocol/panel.ts';
import type { Kedge } from '../../kedge.ts';
import type { Page, PagePorts } from './page.ts';

type PageFactory<P extends PageName> = (ports: PagePorts<P>) => Page<P>;
/** A page whose name is known only at run time. */
type AnyPage = vscode.Disposable & { post(): Promise<void>; handle(request: never): Promise<void> };

const PAGES: { [P in PageName]: () => Promise<PageFactory<P>> } = {
  memory: async () => (await import('./memory-page.ts')).memoryPage,
  sessions: async () => (await import('./sessions-page.ts')).sessionsPage,
  replay: async () => (await import('./replay-page.ts')).replayPage,
  permissions: async () => (await import('./permissions-page.ts')).permissionsPage,
  servers: async () => (await import('./servers-page.ts')).serversPage,
  insights: async () => (await import('./insights-page.ts')).insightsPage,
  models: async () => (await import('./models-page.ts')).modelsPage,
  agents: async () => (await import('./agents-page.ts')).agentsPage,
  documents: async () => (await import('./collections-page.ts')).documentsPage,
};

type PageMessage = Extract<ToHost, { type: 'open_page' | 'leave_page' | 'page_request' }>;

export class Pages implements vscode.Disposable {
  readonly #kedge: Kedge;
  readonly #post: (message: ToPanel) => void;
  #shown: { name: PageName; page: Promise<AnyPage> } | undefined;

  constructor(kedge: Kedge, post: (message: ToPanel) => void) {
    this.#kedge = kedge;
    this.#post = post;
  }

  async receive(message: PageMessage): Promise<void> {
    if (message.type === 'open_page') await this.show(message.name);
    else if (message.type === 'leave_page') this.dispose();
    else await this.handle(message.request);
  }

  /** Sends the data of a page now, and again whenever it changes, until the user leaves the page. */
  async show(name: PageName): Promise<void> {
    if (this.#shown?.name !== name) {
      this.dispose();
      this.#shown = { name, page: this.#load(name) };
    }
    await (await this.#shown.page).post();
  }

  async #load<P extends PageName>(name: P): Promise<AnyPage> {
    const create = await PAGES[name]();
    // The type of the messages pairs each name with its data, which TypeScript cannot follow through a type parameter.
    const send = (message: ToPanel) => this.#post(message);
    return create({ kedge: this.#kedge, post: (data) => send({ type: 'page', name, data } as ToPanel), send });
  }

  /** Handles the user's actions on the page. The user may have left the page since. */
  async handle(request: PageRequest): Promise<void> {
    if (this.#shown?.name === request.page) await (await this.#shown.page).handle(request as never);
  }

  dispose(): void {
    void this.#shown?.page.then((page) => page.dispose());
    this.#shown = undefined;
  }
}
