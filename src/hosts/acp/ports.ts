/** The ports that the program supplies when it starts the host. */
import type { Assistant } from '../../app/assistant.ts';
import type { AgentsPort } from '../../app/ports.ts';
import type { Session } from '../../app/session/session.ts';
import type { ModelRef } from '../../core/model/messages.ts';
import type { FileSystem, Writer } from '../../workspace/types.ts';
import type { Launch } from '../node/commands/process.ts';
import type { NodeFileSystem } from '../node/files/file-system.ts';
import type { MemoryFiles } from '../node/memory.ts';

/** The assistant for the folders of one session. */
export type OpenedFolders = {
  assistant: Assistant;
  memory: MemoryFiles;
  /** The directory of the data for these folders. */
  storage: string;
  fs: NodeFileSystem;
  /** @throws Error if a cost limit is set but the price of the model is unknown */
  expectPrice(model: ModelRef): void;
  /** Sets the model for the next runs of the session. */
  use(model: ModelRef, session: Session, signal: AbortSignal): Promise<unknown>;
  pruneCheckpoints(): Promise<void>;
};

/** The parts of a session that the client offers: its files, and MCP servers in the format of `mcpServers`. */
export type ClientParts = {
  files?(disk: NodeFileSystem, writer: Writer): { fs: FileSystem; writer: Writer };
  /** Starts commands in terminals of the client. */
  launch?: Launch;
  /** Asks the user whether an agent of the workspace may run. */
  reviewAgent?: AgentsPort['review'];
  mcpServers?: Readonly<Record<string, unknown>>;
};

/** A model that the user can choose. `value` is its name as for `--model`. */
export type ModelChoice = { value: string; name: string };

export type AcpHost = {
  version: string;
  /** The model of the command line or the environment. */
  model: ModelRef | undefined;
  /** The models of the providers that are connected. */
  models(): ModelChoice[];
  /** @throws Error with a message for the user if a folder or an option is not valid */
  open(folders: string[], parts?: ClientParts): OpenedFolders;
};
