/**
 * Carries out the reading tools for other assistants of VS Code. Each call is a run of a session of its own assistant, so it passes the same
 * loop and policy as the calls of a model, and is logged.
 */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Assistant } from '../../../app/assistant.ts';
import { CLIENT, clientAdapter, ReadingCalls } from '../../../app/run/reading-calls.ts';
import type { Session } from '../../../app/session/session.ts';
import type { ToolResult } from '../../../core/model/messages.ts';
import type { ApprovalAnswer } from '../../../core/session/events.ts';
import type { ApprovalRequest } from '../../../core/session/session-state.ts';
import { approvalDetails } from '../../../core/view/approval-details.ts';
import { SessionStore } from '../../../sessions/store.ts';
import type { Kedge } from '../kedge.ts';
import { notificationText } from '../notification-text.ts';
import { readPolicy } from '../settings/policy-settings.ts';

type Window = Pick<Kedge, 'fs' | 'blobs' | 'storage' | 'settings' | 'grants'>;

export class ReadingTools implements vscode.Disposable {
  readonly #assistant: Assistant;
  readonly #calls: ReadingCalls;

  /** `confirm` asks the user whether a call that needs approval may run. */
  constructor(kedge: Window, confirm: (request: ApprovalRequest) => Promise<boolean> = askUser) {
    this.#assistant = new Assistant({
      fileSystem: () => kedge.fs,
      blobs: kedge.blobs,
      store: new SessionStore(join(kedge.storage, 'sessions')),
      settings: { model: () => CLIENT, limits: (mode) => kedge.settings.limits(mode) },
      adapter: async () => clientAdapter,
      trusted: () => vscode.workspace.isTrusted,
      grants: kedge.grants,
      policy: readPolicy,
      writer: () => {
        throw new Error('Reading tools cannot write.');
      },
    });
    this.#calls = new ReadingCalls(async () => {
      const session = await this.#assistant.newSession();
      session.subscribe((event) => {
        if (event.type === 'approval_requested') void answer(session, event.approvalId, confirm);
      });
      return session;
    });
  }

  /** @throws Error with the reason, for the assistant that called the tool */
  async call(tool: string, input: object, token: vscode.CancellationToken): Promise<vscode.LanguageModelToolResult> {
    const controller = new AbortController();
    const cancelling = token.onCancellationRequested(() => controller.abort());
    try {
      if (token.isCancellationRequested) controller.abort();
      return toResult(await this.#calls.call(tool, input, controller.signal));
    } finally {
      cancelling.dispose();
    }
  }

  dispose(): void {
    this.#assistant.close();
  }
}

async function answer(session: Session, approvalId: string, confirm: (request: ApprovalRequest) => Promise<boolean>): Promise<void> {
  // The state contains the request after its listeners were called.
  await undefined;
  const request = session.state.pendingApprovals.get(approvalId);
  if (!request) return;
  const isApproved = await confirm(request).catch(() => false);
  const answer: ApprovalAnswer = isApproved ? { approve: true } : { approve: false };
  if (session.state.pendingApprovals.has(approvalId)) await session.answerApproval(approvalId, answer).catch(() => undefined);
}

/**
 * VS Code's own confirmation of tools is not used: a user who always allows a tool there would also allow it to read the next file with
 * secrets.
 */
async function askUser(request: ApprovalRequest): Promise<boolean> {
  const { title, reason, rows } = approvalDetails(request);
  const allow = 'Allow Once';
  const detail = [reason, ...rows.map(({ label, text }) => `${label}: ${text}`)].join('\n');
  const question = `Another assistant calls a tool of Kedge: ${title}`;
  const options = { modal: true, detail: notificationText(detail) };
  return (await vscode.window.showWarningMessage(notificationText(question), options, allow)) === allow;
}

function toResult({ content, isError }: ToolResult): vscode.LanguageModelToolResult {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (isError) throw new Error(texts.join('\n'));
  return new vscode.LanguageModelToolResult(
    content.flatMap((part): (vscode.LanguageModelTextPart | vscode.LanguageModelDataPart)[] => {
      if (part.type === 'image') return [vscode.LanguageModelDataPart.image(Buffer.from(part.data, 'base64'), part.mediaType)];
      // Notes are for the model of a run, such as the rules files of a folder.
      return part.type === 'text' ? [new vscode.LanguageModelTextPart(part.text)] : [];
    }),
  );
}
