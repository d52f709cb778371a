/** Shows in the panel what could be remembered after the last run, and carries out the user's answer. */
import * as vscode from 'vscode';
import type { Session } from '../../../app/session/session.ts';
import type { ToHost, ToPanel } from '../../../protocol/panel.ts';
import type { Kedge } from '../kedge.ts';

export class PanelLessons implements vscode.Disposable {
  readonly #kedge: Kedge;
  readonly #post: (message: ToPanel) => void;
  readonly #unwatch: vscode.Disposable;
  #shown = '';

  constructor(kedge: Kedge, post: (message: ToPanel) => void) {
    this.#kedge = kedge;
    this.#post = post;
    this.#unwatch = new vscode.Disposable(
      kedge.assistant.watch((session, { type }) => {
        if (type === 'run_finished' && session.id === this.#shown) void this.#show(session).catch(console.error);
      }),
    );
  }

  /** Call this after the session was sent to the panel. */
  show(session: Session): void {
    this.#shown = session.id;
    void this.#show(session).catch(console.error);
  }

  /** @throws SessionError if the entry cannot be stored. The proposal then stays. */
  async answer({ runId, keep }: Extract<ToHost, { type: 'lesson' }>, session: Session): Promise<void> {
    const lessons = await this.#kedge.assistant.lessons();
    if (keep === undefined) await lessons.dismiss(session, runId);
    else this.#post({ type: 'notice', level: 'info', text: await lessons.keep(session, runId, keep) });
    await this.#show(session);
  }

  async #show(session: Session): Promise<void> {
    const { mode, status } = session.state.lastRun ?? {};
    // Most sessions need no further code.
    const lesson = mode === 'agent' && status === 'finished' ? await (await this.#kedge.assistant.lessons()).proposal(session) : undefined;
    if (session.id === this.#shown) this.#post({ type: 'lesson', ...(lesson && { lesson }) });
  }

  dispose(): void {
    this.#unwatch.dispose();
  }
}
