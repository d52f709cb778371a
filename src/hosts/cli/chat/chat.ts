import type { Session } from '../../../app/session/session.ts';
import type { ModelRef } from '../../../core/model/messages.ts';
import type { Mode } from '../../../core/modes.ts';
import type { Kedge } from '../kedge.ts';
import type { Front } from './front.ts';

/** The conversation, as commands use it. */
export type Chat = {
  readonly kedge: Kedge;
  readonly env: NodeJS.ProcessEnv;
  readonly front: Front;
  readonly session: Session;
  readonly model: ModelRef;
  mode: Mode;
  /** The agent that the user chose in this conversation, or an empty text for none. Without it, that of the session stays. */
  agent: string | undefined;
  isVerbose: boolean;
  /** Describes the MCP servers. */
  servers(): Promise<string>;
  setModel(model: ModelRef): void;
  /** Sends a message in a mode. Only mentions in `typed`, which the user wrote, are read. */
  send(text: string, mode: Mode, typed?: string): Promise<void>;
  /** Sends the prompt file that a text such as `/NAME words` names. Returns false if there is none. */
  sendPrompt(text: string): Promise<boolean>;
  /** Drives what `start` begins until it has ended. @throws UsageError while a run is in progress */
  run(start: (model: ModelRef) => Promise<void>): Promise<void>;
  /** Continues the last run: a paused run, an open question or a plan. */
  proceed(): Promise<void>;
  open(session?: Session): Promise<void>;
  leave(): void;
};
