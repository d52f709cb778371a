/** The panel's mentions: completes them, checks them when they are added, and reads them when a message is sent. */
import * as vscode from 'vscode';
import type { MentionError, Mentions } from '../../../app/mentions/index.ts';
import type { Session } from '../../../app/session/session.ts';
import { abortable } from '../../../core/abort.ts';
import { isSameMention, refusalText } from '../../../core/model/mentions.ts';
import type { ImagePart, MentionRef, ModelRef, NotePart } from '../../../core/model/messages.ts';
import type { ToHost, ToPanel } from '../../../protocol/panel.ts';
import type { Kedge } from '../kedge.ts';
import { activeRef, openPaths, refOfUri, selectionRef } from '../mentions.ts';

/** The reason why a message was not sent, as a sentence for the user. */
export class NotSent extends Error {
  override name = 'NotSent';
}

type Confirmed = { ref: MentionRef; confirmed?: string | undefined };

export class PanelMentions implements vscode.Disposable {
  readonly #kedge: Pick<Kedge, 'assistant' | 'fs' | 'sessions'>;
  readonly #post: (message: ToPanel) => void;
  readonly #disposables: vscode.Disposable[];
  #watcher: vscode.Disposable | undefined;
  #suggested: MentionRef | undefined;
  /** The newest query. The results of older queries are dropped. */
  #query = 0;
  /** Messages are sent in order, even if the mentions of an earlier message take longer to read. */
  #reading: Promise<unknown> = Promise.resolve();
  #stopReading = new AbortController();

  constructor(kedge: Pick<Kedge, 'assistant' | 'fs' | 'sessions'>, post: (message: ToPanel) => void) {
    this.#kedge = kedge;
    this.#post = post;
    const suggest = () => this.suggest();
    this.#disposables = [vscode.window.onDidChangeActiveTextEditor(suggest), vscode.window.onDidChangeTextEditorSelection(suggest)];
  }

  /** Offers the active file or selection of the editor. `isNew` is set if the panel has no suggestion yet. */
  suggest({ isNew = false } = {}): void {
    const ref = activeRef(this.#kedge.fs);
    const isSame = ref && this.#suggested ? isSameMention(ref, this.#suggested) : ref === this.#suggested;
    if (isSame && !isNew) return;
    this.#suggested = ref;
    this.#post({ type: 'suggest_mention', ...(ref && { ref }) });
  }

  async receive(
    message: Extract<ToHost, { type: 'find_mentions' | 'find_commands' | 'find_agents' | 'check_mention' | 'drop_uris' | 'pick_files' }>,
  ): Promise<void> {
    switch (message.type) {
      case 'find_mentions':
        return this.find(message.query);
      case 'find_commands':
        return this.#findCommands();
      case 'find_agents':
        return this.#findAgents();
      case 'check_mention':
        return this.add(message.ref);
      case 'drop_uris':
        return this.drop(message.uris);
      case 'pick_files':
        return this.pick();
    }
  }

  async #findCommands(): Promise<void> {
    const { promptCommands } = await import('../prompt-files.ts');
    this.#post({ type: 'commands_found', commands: await promptCommands(this.#kedge, await this.#kedge.sessions.current()) });
  }

  async #findAgents(): Promise<void> {
    const { assistant, sessions } = this.#kedge;
    const { agents } = await (await assistant.agents()).list(await sessions.current());
    this.#post({ type: 'agents_found', agents: agents.map(({ name }) => name) });
  }

  async find(query: string): Promise<void> {
    this.#query += 1;
    const number = this.#query;
    const { fs, sessions } = this.#kedge;
    try {
      const session = await sessions.current();
      const mentions = await this.#mentions(session);
      for await (const choices of mentions.find(query, { open: openPaths(fs), selection: selectionRef(fs), session: session.id })) {
        if (number !== this.#query) return;
        this.#post({ type: 'mentions_found', query, choices });
      }
    } catch (error) {
      // The panel waits for an answer: Enter chooses the first choice when it arrives.
      if (number === this.#query) this.#post({ type: 'mentions_found', query, choices: [] });
      throw error;
    }
  }

  /** Adds a mention to the message that is being written. @throws MentionError if it cannot be sent */
  async add(ref: MentionRef): Promise<void> {
    const mentions = await this.#mentions(await this.#kedge.sessions.current());
    this.#post({ type: 'add_mention', ...(await mentions.check(ref)) });
  }

  /** Lets the user choose files to mention. */
  async pick(): Promise<void> {
    const uris = await vscode.window.showOpenDialog({ canSelectMany: true, openLabel: 'Attach', title: 'Attach Files' });
    if (uris) await this.drop(uris.map((uri) => uri.toString()));
  }

  async drop(uris: readonly string[]): Promise<void> {
    const problems: string[] = [];
    for (const each of uris) {
      try {
        const uri = vscode.Uri.parse(each, true);
        const ref = refOfUri(this.#kedge.fs, uri);
        if (ref) await this.add(ref);
        else problems.push(`${uri.path.split('/').at(-1)} is outside the workspace.`);
      } catch (error) {
        problems.push((error as MentionError).message);
      }
    }
    if (problems.length > 0) this.#post({ type: 'notice', level: 'info', text: problems.join('\n') });
  }

  /** Reads the mentions of a message to `model` in a session. @throws NotSent if one of them is refused, or the user stops the reading */
  read(session: Session, mentions: readonly Confirmed[], model: ModelRef): Promise<(NotePart | ImagePart)[]> {
    const { signal } = this.#stopReading;
    const reading = this.#reading.then(async () => {
      try {
        signal.throwIfAborted();
        return mentions.length === 0 ? [] : await abortable(this.#read(session, mentions, model, signal), signal);
      } catch (error) {
        throw signal.aborted ? new NotSent('The message was not sent, because you stopped it.') : error;
      }
    });
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  /**
   * Adds the prompt of an MCP server that a message such as `/server:prompt` asks for to its mentions.
   * @throws NotSent if the user must confirm it first
   */
  async withPrompt(session: Session, text: string, mentions: readonly Confirmed[]): Promise<readonly Confirmed[]> {
    const reader = text.startsWith('/') ? await this.#mentions(session) : undefined;
    const ref = await reader?.promptIn(text);
    if (!reader || !ref || mentions.some((each) => isSameMention(each.ref, ref))) return mentions;
    const checked = await reader.check(ref);
    if (!checked.question) return [...mentions, { ref }];
    this.#post({ type: 'add_mention', ...checked });
    throw new NotSent('Getting the prompt calls the MCP server. Confirm it below, and send the message again.');
  }

  /** Cancels the messages whose mentions are still being read. */
  stopReading(): void {
    this.#stopReading.abort();
    this.#stopReading = new AbortController();
  }

  async #read(session: Session, mentions: readonly Confirmed[], model: ModelRef, signal: AbortSignal): Promise<(NotePart | ImagePart)[]> {
    const reader = await this.#mentions(session);
    const isConfirmed = (key: string, ref: MentionRef) => mentions.some((each) => each.confirmed === key && isSameMention(each.ref, ref));
    const refs = mentions.map(({ ref }) => ref);
    const { parts, refused } = await reader.read(refs, ({ key }, ref) => isConfirmed(key, ref), signal, model);
    if (refused.length > 0) throw new NotSent(refusalText(refused));
    return parts;
  }

  /** Creates the mentions on first use, because watching the files of a large workspace takes time and memory. */
  async #mentions(session: Session): Promise<Mentions> {
    const mentions = await this.#kedge.assistant.mentions(session);
    this.#watcher ??= watchFiles(mentions);
    return mentions;
  }

  dispose(): void {
    this.stopReading();
    this.#watcher?.dispose();
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function watchFiles(mentions: Mentions): vscode.Disposable {
  const changed = () => mentions.filesChanged();
  const files = vscode.workspace.createFileSystemWatcher('**/*', false, true, false);
  const ignoreFiles = vscode.workspace.createFileSystemWatcher('**/.{kedge,git,rg}ignore', true, false, true);
  return vscode.Disposable.from(
    files,
    ignoreFiles,
    files.onDidCreate(changed),
    files.onDidDelete(changed),
    ignoreFiles.onDidChange(changed),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('files.exclude')) changed();
    }),
  );
}
