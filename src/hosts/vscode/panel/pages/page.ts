import * as vscode from 'vscode';
import type { Session } from '../../../../app/session/session.ts';
import type { AgentEvent } from '../../../../core/session/events.ts';
import type { PageData, PageName, RequestOf } from '../../../../protocol/pages.ts';
import type { ToPanel } from '../../../../protocol/panel.ts';
import type { Kedge } from '../../kedge.ts';

/** `send` posts messages that are not the data of the page. */
export type PagePorts<P extends PageName> = { kedge: Kedge; post(data: PageData[P]): void; send(message: ToPanel): void };

/** A page that the panel shows. It posts its data again whenever the data changes, until it is disposed. */
export interface Page<P extends PageName> extends vscode.Disposable {
  post(): Promise<void>;
  handle(request: RequestOf<P>): Promise<void>;
}

type SessionPage<P extends PageName> = {
  dataOf(kedge: Kedge, session: Session): PageData[P];
  /** Carries out a request. The data is posted again afterwards. */
  change(kedge: Kedge, request: RequestOf<P>): Promise<void>;
  /** Returns true for the events after which the data is out of date. */
  isChange(event: AgentEvent): boolean;
};

/** Creates a page about the settings and the session that the panel shows. */
export function sessionPage<P extends PageName>({ kedge, post }: PagePorts<P>, { dataOf, change, isChange }: SessionPage<P>): Page<P> {
  const page = {
    async post() {
      post(dataOf(kedge, await kedge.sessions.current()));
    },
    async handle(request: RequestOf<P>) {
      await change(kedge, request);
      await page.post();
    },
    dispose() {
      for (const each of watches) each.dispose();
    },
  };
  const renew = () => void page.post();
  const watches = [
    kedge.sessions.onDidChange(renew),
    kedge.onDidChange(renew),
    new vscode.Disposable(kedge.assistant.watch((_, event) => isChange(event) && renew())),
  ];
  return page;
}
