/**
 * Branches of the session that the panel shows: an earlier prompt that is sent again, versions of prompts, and other sessions that wait for
 * the user.
 */
import * as vscode from 'vscode';
import type { Library } from '../../../app/library/library.ts';
import type { ReadMentions } from '../../../app/mentions/index.ts';
import { initiation, withoutAttachments } from '../../../app/session/prompt.ts';
import type { Session } from '../../../app/session/session.ts';
import { SessionError } from '../../../app/session/session-error.ts';
import { refusalText } from '../../../core/model/mentions.ts';
import { type AgentEvent, isDurable, MODES, type UndoResult } from '../../../core/session/events.ts';
import { parseSlashCommand } from '../../../core/words/slash-commands.ts';
import type { OtherSession, ToHost, ToPanel } from '../../../protocol/panel.ts';
import { statusOf } from '../attention/session-status.ts';
import { isChatSession } from '../chat/chat-threads.ts';
import type { Kedge } from '../kedge.ts';
import { remember } from '../memory.ts';

type Message<Type extends ToHost['type']> = Extract<ToHost, { type: Type }>;

export class PanelBranches implements vscode.Disposable {
  readonly #kedge: Kedge;
  readonly #post: (message: ToPanel) => void;
  /** The sessions that wait for the user, by id. */
  readonly #waiting = new Map<string, OtherSession>();
  readonly #disposables: vscode.Disposable[];
  #shown = '';

  constructor(kedge: Kedge, post: (message: ToPanel) => void) {
    this.#kedge = kedge;
    this.#post = post;
    const unwatch = kedge.assistant.watch((session, event) => this.#follow(session, event));
    this.#disposables = [new vscode.Disposable(unwatch)];
  }

  /** Call this after the session was sent to the panel. */
  show(session: Session): void {
    this.#shown = '';
    void this.#showBranches(session).catch(console.error);
    void this.#findWaiting().catch(console.error);
  }

  async handle(message: Message<'resend' | 'branch' | 'show_session'>): Promise<void> {
    const { sessions } = this.#kedge;
    // Runs have the same ids in a branch, so the message must also identify the session that was shown.
    const session = await sessions.byId(message.sessionId);
    switch (message.type) {
      case 'resend':
        return this.#resend(message, session);
      case 'branch':
        return this.#branch(message, session);
      case 'show_session':
        return sessions.show(session);
    }
  }

  async #showBranches(session: Session): Promise<void> {
    if (session.state.runs.size === 0 && !session.state.parent) return;
    const library = await this.#kedge.assistant.library();
    const versions = await library.versions(session);
    const parent = await parentOf(session, library);
    // The versions of a prompt already link to the session that it was edited in.
    const isVersion = Object.values(versions).some(({ index, sessionIds }) => index > 0 && sessionIds.includes(parent?.id ?? ''));
    this.#post({ type: 'branches', sessionId: session.id, versions, ...(parent && !isVersion && { parent }) });
  }

  /** Sends a prompt again, in a branch of the session. A run that is in progress is stopped first. */
  async #resend({ runId, edited, restore, otherModel }: Message<'resend'>, session: Session): Promise<void> {
    const kedge = this.#kedge;
    const typed = edited && parseSlashCommand(edited.text);
    if (typed?.name === 'remember') return this.#post({ type: 'notice', level: 'info', text: await remember(kedge, typed) });
    if (typed?.name === 'compact') return session.compact(typed.words);
    const changes = edited?.withChanges ? await this.#changes(session) : [];
    const model = otherModel && (await (await import('../models/connect.ts')).pickModelOnce(kedge));
    if (otherModel && !model) return;
    if (session.busy) await session.stop();
    const {
      session: branch,
      prompt: sent,
      bound,
      restored,
    } = await (await kedge.assistant.library()).forkBeforeRun(session.id, runId, { restore });
    const prompt = edited ? { ...withoutAttachments(sent, edited.without), text: edited.text } : sent;
    const mode = vscode.workspace.isTrusted ? (edited?.mode ?? prompt.mode) : 'ask';
    await this.#open(branch, session, restored);
    await kedge.setMode(mode);
    const used = model || kedge.modelFor(branch.id, mode);
    const end = branch.subscribe((event) => {
      if (event.type === 'run_started') void kedge.sessionModels.keep(branch.id, event.mode, event.model);
    });
    try {
      const command = parseSlashCommand(prompt.text);
      const [message, shown] = command?.name === 'init' ? initiation(command.words, used) : [{ ...prompt, mode, model: used }];
      await branch.prompt({ ...message, attachments: [...(prompt.attachments ?? []), ...changes] }, { ...bound, ...shown });
    } finally {
      end();
    }
  }

  /** Returns the uncommitted changes for a message. @throws SessionError if they cannot be sent */
  async #changes(session: Session): Promise<ReadMentions['parts']> {
    const mentions = await this.#kedge.assistant.mentions(session);
    const { parts, refused } = await mentions.read([{ kind: 'changes' }], () => false, new AbortController().signal);
    if (refused.length > 0) throw new SessionError(refusalText(refused));
    return parts;
  }

  async #branch({ runId, callId, restore }: Message<'branch'>, session: Session): Promise<void> {
    const library = await this.#kedge.assistant.library();
    const { session: branch, restored } = await library.forkAfterRun(session.id, runId, callId, { restore });
    await this.#open(branch, session, restored);
  }

  /** Shows a branch, which uses the models of the session that it is a branch of. */
  async #open(branch: Session, from: Session, restored: readonly UndoResult[] | undefined): Promise<void> {
    const { sessions, sessionModels } = this.#kedge;
    for (const mode of MODES) {
      const model = sessionModels.modelOf(from.id, mode);
      if (model) await sessionModels.keep(branch.id, mode, model);
    }
    await sessions.show(branch);
    if (restored) this.#post({ type: 'notice', level: 'info', text: restoredText(restored) });
  }

  #follow(session: Session, event: AgentEvent): void {
    if (!isDurable(event)) return;
    // The other versions of a prompt can be found once its run is in the log.
    if (event.type === 'run_started' && event.edits !== undefined && session.id === this.#kedge.sessions.shownId) this.show(session);
    this.#look(session);
    this.#showWaiting();
  }

  async #findWaiting(): Promise<void> {
    const { assistant } = this.#kedge;
    for (const id of assistant.openIds) {
      const session = await assistant.session(id);
      if (session) this.#look(session);
    }
    this.#showWaiting();
  }

  #look(session: Session): void {
    const { id, state } = session;
    const status = statusOf(session);
    // A paused run is not urgent. Runs of the Chat are left out, because the Chat itself shows what they are waiting for.
    const waits = status.kind === 'waiting' && state.lastRun?.status !== 'paused' && !isChatSession(this.#kedge, session);
    if (waits) this.#waiting.set(id, { id, title: state.title, text: status.text });
    else this.#waiting.delete(id);
  }

  #showWaiting(): void {
    const { assistant, sessions } = this.#kedge;
    const open = new Set(assistant.openIds);
    const session = [...this.#waiting.values()].find(({ id }) => id !== sessions.shownId && open.has(id));
    const key = JSON.stringify(session ?? '');
    if (key === this.#shown) return;
    this.#shown = key;
    this.#post({ type: 'other_waits', ...(session && { session }) });
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

async function parentOf({ state }: Session, library: Library): Promise<{ id: string; title: string } | undefined> {
  const id = state.parent?.sessionId;
  const info = id === undefined ? undefined : (await library.list()).find((each) => each.id === id);
  return info && { id: info.id, title: info.title };
}

function restoredText(results: readonly UndoResult[]): string {
  const refused = results.filter(({ outcome }) => outcome === 'refused');
  const restored = results.filter(({ outcome }) => outcome === 'restored' || outcome === 'merged').length;
  const left = refused.map(({ path, reason }) => `${path}${reason ? ` (${reason})` : ''}`).join(', ');
  const what = `${restored} ${restored === 1 ? 'file was' : 'files were'} restored.`;
  return `${what}${left ? ` Not restored: ${left}` : ''} You can undo this in the earlier version.`;
}
