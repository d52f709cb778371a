/** Imports, updates, removes and exports packages of agents. Nothing is stored before the user has seen all of it. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SessionError } from '../../../../app/session/session-error.ts';
import { FILE_ENDING, packageText, SharingError } from '../../../../app/sharing/shared-package.ts';
import { visibleLine, visibleText } from '../../../../core/words/visible-text.ts';
import { encodeText } from '../../../../workspace/content.ts';
import { type Offer, Sharing } from '../../../node/sharing/sharing.ts';
import { userFolder } from '../../../node/user-files.ts';
import type { Kedge } from '../../kedge.ts';
import { notificationText } from '../../notification-text.ts';
import { PreviewDocuments } from './preview-documents.ts';
import { previewText } from './preview-text.ts';

export async function sharingOf({ assistant }: Pick<Kedge, 'assistant'>): Promise<Sharing> {
  return new Sharing(userFolder(), await assistant.ports());
}

/** Imports a package from an address, or from a place that the user chooses. */
export function importPackage(kedge: Kedge, address?: string): Promise<void> {
  return explained(async () => {
    const from = address ?? (await chooseSource());
    if (!from) return;
    const sharing = await sharingOf(kedge);
    const directory = kedge.fs.folders.flatMap(({ root }) => root ?? [])[0] ?? homedir();
    const offer = await withProgress('Reading the package', (signal) => sharing.offer(from, directory, signal));
    if (offer && (await store(kedge, sharing, offer))) await say(offer, offer.installed ? 'updated' : 'imported');
  });
}

export function updatePackage(kedge: Kedge, name: string): Promise<void> {
  return explained(async () => {
    const sharing = await sharingOf(kedge);
    const installed = await found(sharing, name);
    const offer = await withProgress(`Reading the package ${name}`, (signal) => sharing.offerUpdate(installed, signal));
    if (!offer) return;
    if (offer.pack.digest === installed.digest && installed.changedByHand.length === 0)
      return void vscode.window.showInformationMessage(notificationText(`The package ${name} ${installed.version} is up to date.`));
    if (await store(kedge, sharing, offer)) await say(offer, 'updated');
  });
}

export function removePackage(kedge: Kedge, name: string): Promise<void> {
  return explained(async () => {
    const sharing = await sharingOf(kedge);
    const { paths, changedByHand } = await found(sharing, name);
    const detail = [
      `These files are deleted: ${paths.join(', ')}.`,
      ...(changedByHand.length > 0 ? [`You have changed these by hand: ${changedByHand.join(', ')}.`] : []),
    ].join('\n');
    const remove = 'Remove Package';
    const options = { modal: true, detail: notificationText(detail) };
    if ((await vscode.window.showWarningMessage(notificationText(`Remove the package ${name}?`), options, remove)) !== remove) return;
    await sharing.store.remove(name);
    kedge.packagesChanged();
  });
}

/** Writes an agent with its prompt files and skills into one file, and shows that file. */
export function exportAgent(kedge: Kedge, name?: string, to?: vscode.Uri): Promise<void> {
  return explained(async () => {
    const agent = name ?? (await chooseAgent(kedge));
    if (!agent) return;
    const { pack, removed } = await (await sharingOf(kedge)).export(agent, {});
    const folder = kedge.fs.folders.flatMap(({ root }) => root ?? [])[0] ?? homedir();
    const target =
      to ??
      (await vscode.window.showSaveDialog({
        title: 'Kedge: Export Agent',
        saveLabel: 'Export',
        defaultUri: vscode.Uri.file(join(folder, `${pack.name}${FILE_ENDING}`)),
        filters: { 'Kedge package': ['json'] },
      }));
    if (!target) return;
    await vscode.workspace.fs.writeFile(target, encodeText(packageText(pack)));
    await vscode.window.showTextDocument(target);
    const text = `The agent ${pack.name} was exported to ${visibleLine(target.fsPath)}. ${removed.map(visibleLine).join(' ')}`;
    void vscode.window.showInformationMessage(notificationText(text.trim()));
  });
}

/** Shows everything in the package, and stores it if the user agrees. */
async function store(kedge: Kedge, sharing: Sharing, offer: Offer): Promise<boolean> {
  const { pack, preview, source, installed } = offer;
  const documents = new PreviewDocuments();
  try {
    const verb = installed ? 'Update' : 'Import';
    const summary = documents.add(`Package ${pack.name}.txt`, previewText(preview, source, installed !== undefined));
    const showSummary = () => vscode.window.showTextDocument(summary, { preview: false, preserveFocus: true });
    await showSummary();
    if (preview.refusals[0]) {
      await vscode.window.showErrorMessage(notificationText(`The package ${pack.name} cannot be stored. ${preview.refusals[0]}`), {
        modal: true,
      });
      return false;
    }
    const changes = installed ? diffsOf(documents, (await sharing.store.contents(installed)).files, pack.files) : [];
    const showChanges = () => vscode.commands.executeCommand('vscode.changes', `Update of ${pack.name}`, changes);
    if (changes.length > 0) await showChanges();
    const answer = await ask(`${verb} ${pack.name} ${visibleLine(pack.version)}`, verb, preview.newAsks.length, {
      ...(changes.length > 0 && { 'Show Summary': showSummary, 'Show Differences': showChanges }),
    });
    if (!answer) return false;
    await sharing.accept(offer);
    kedge.packagesChanged();
    return true;
  } finally {
    await documents.close();
  }
}

/** The question does not cover the documents, and stays while the user reads them. Its first answer stores nothing. */
async function ask(title: string, verb: string, asks: number, show: Readonly<Record<string, () => unknown>>): Promise<boolean> {
  const no = { label: `Do Not ${verb}` };
  const yes = { label: `${verb} Package` };
  for (;;) {
    const picked = await vscode.window.showQuickPick([no, yes, ...Object.keys(show).map((label) => ({ label }))], {
      title: `Kedge: ${title}`,
      placeHolder:
        asks > 0 ? `Read the document: it says all that the package asks for (${asks})` : 'The document shows all of the package',
      ignoreFocusOut: true,
    });
    if (!picked || picked === no) return false;
    if (picked === yes) return true;
    await show[picked.label]?.();
  }
}

type Files = readonly { path: string; text: string }[];

/** Returns what VS Code's editor for several differences needs, for each file that differs. */
function diffsOf(documents: PreviewDocuments, before: Files, after: Files): [vscode.Uri, vscode.Uri, vscode.Uri][] {
  const textIn = (files: Files, path: string) => visibleText(files.find((file) => file.path === path)?.text ?? '');
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort();
  return paths.flatMap((path): [vscode.Uri, vscode.Uri, vscode.Uri][] => {
    const [from, to] = [textIn(before, path), textIn(after, path)];
    if (from === to) return [];
    const now = documents.add(`new/${path}`, to);
    return [[now, documents.add(`stored/${path}`, from), now]];
  });
}

async function chooseSource(): Promise<string | undefined> {
  const [file, folder, git] = ['From a File…', 'From a Folder…', 'From a Git Address…'];
  const items = [file, folder, git].map((label) => ({ label }));
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Kedge: Import Agent',
    placeHolder: 'You see everything in the package before it is stored',
  });
  if (!picked) return undefined;
  if (picked.label === git) {
    const prompt = 'https, ssh or file address of a Git repository, with an optional #branch:path';
    return vscode.window.showInputBox({ title: 'Kedge: Import Agent', prompt, ignoreFocusOut: true });
  }
  const isFile = picked.label === file;
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: 'Kedge: Import Agent',
      openLabel: 'Show Package',
      canSelectFiles: isFile,
      canSelectFolders: !isFile,
      ...(isFile && { filters: { 'Kedge package': ['json'] } }),
    })) ?? [];
  if (uri && uri.scheme !== 'file') throw new SharingError('A package can be imported only from a file or folder on this computer.');
  return uri?.fsPath;
}

async function chooseAgent(kedge: Kedge): Promise<string | undefined> {
  const { agents } = await (await kedge.assistant.agents()).list(await kedge.sessions.current());
  const items = agents
    .filter(({ source }) => source !== 'shipped')
    .map(({ name, path }) => ({ label: name, description: visibleLine(path ?? '').replaceAll('$(', '$ (') }));
  if (items.length === 0)
    throw new SharingError(`There is no agent to export. Write one as a Markdown file in ${join(userFolder(), 'agents')} first.`);
  const title = 'Kedge: Export Agent';
  return (await vscode.window.showQuickPick(items, { title, placeHolder: 'Keys, permissions and paths are left out' }))?.label;
}

async function found(sharing: Sharing, name: string) {
  const installed = await sharing.store.find(name);
  if (!installed) throw new SharingError(`There is no package ${name} any more.`);
  return installed;
}

/** Returns undefined if the user cancels. */
async function withProgress<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title: notificationText(`Kedge: ${title}`) };
  return vscode.window.withProgress(options, async (_, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    try {
      return await work(stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return undefined;
      throw error;
    }
  });
}

async function say({ pack }: Offer, what: 'imported' | 'updated'): Promise<void> {
  const show = 'Show Agents';
  const text = `The package ${pack.name} ${visibleLine(pack.version)} was ${what}.`;
  void vscode.window.showInformationMessage(notificationText(text), show).then((picked) => {
    if (picked === show) void vscode.commands.executeCommand('kedge.showAgents');
  });
}

/** The panel and the commands show the messages of these errors. */
async function explained(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof SharingError ? new SessionError(error.message) : error;
  }
}
