/** Sharing for all hosts: what a user sees before a package is stored, storing it, and building packages. */
import { homedir } from 'node:os';
import { comparable } from '../../../agents/names.ts';
import { listAgents } from '../../../app/agents/agents.ts';
import { listPromptFiles, type PromptFile } from '../../../app/customizations/prompt-files.ts';
import { listSkills } from '../../../app/customizations/skills.ts';
import type { AssistantPorts } from '../../../app/ports.ts';
import type { TakenName } from '../../../app/sharing/contents.ts';
import { type AlsoShared, exportedPackage } from '../../../app/sharing/export.ts';
import { type PackagePreview, previewOf } from '../../../app/sharing/preview.ts';
import { type PackageSource, type SharedPackage, SharingError } from '../../../app/sharing/shared-package.ts';
import { decodeText } from '../../../workspace/content.ts';
import { parsePath } from '../../../workspace/paths.ts';
import { readRegular } from '../files/real-files.ts';
import { type InstalledPackage, PackageStore } from './package-store.ts';
import { type ReadPackage, readAgain, readPackage } from './read-package.ts';

/**
 * A package that was read and not stored. `installed` is the package that it would replace. `preview` must be shown to the user as a whole
 * before `store` is called.
 */
export type Offer = { pack: SharedPackage; source: PackageSource; preview: PackagePreview; installed?: InstalledPackage };

export class Sharing {
  readonly store: PackageStore;
  readonly #ports: AssistantPorts;

  /** `userFolder` is the user's folder of Kedge, with the configuration file. `ports` are those of the assistant. */
  constructor(userFolder: string, ports: AssistantPorts) {
    this.store = new PackageStore(userFolder);
    this.#ports = ports;
  }

  /** Reads a package. `address` is a path from `directory`, or an address of Git with an optional `#ref:path`. @throws SharingError */
  async offer(address: string, directory: string, signal: AbortSignal): Promise<Offer> {
    const read = await readPackage(address, directory, signal);
    const installed = await this.store.find(read.pack.name);
    if (installed && !isSame(installed.source, read.source))
      throw new SharingError(
        `A package ${installed.name} is installed from another place, ${installed.source.address}. To replace it, remove it first: kedge agents remove ${installed.name}`,
      );
    return this.#offerOf(read, installed);
  }

  /** Reads an installed package from its source again. @throws SharingError */
  async offerUpdate(installed: InstalledPackage, signal: AbortSignal): Promise<Offer> {
    const read = await readAgain(installed.source, signal);
    if (read.pack.name === installed.name) return this.#offerOf(read, installed);
    throw new SharingError(
      `The package ${installed.name} now calls itself ${read.pack.name}, so it was not updated. Import it as another package.`,
    );
  }

  /** Stores a package that the user has seen and confirmed. @throws SharingError */
  async accept({ pack, source, preview, installed }: Offer): Promise<InstalledPackage> {
    if (preview.refusals[0]) throw new SharingError(preview.refusals[0]);
    return this.store.install(pack, source, installed?.digest);
  }

  /** Builds a package from the agent with this name. Returns also what was left out of it, in sentences. @throws SharingError */
  async export(name: string, also: AlsoShared): Promise<{ pack: SharedPackage; removed: string[] }> {
    const [{ agents }, { prompts }, { skills }] = await Promise.all([
      listAgents(this.#ports),
      listPromptFiles(this.#ports),
      listSkills(this.#ports),
    ]);
    const agent = agents.find((each) => each.name === name.trim().toLowerCase());
    if (!agent) throw new SharingError(`There is no agent ${name.slice(0, 40)}. There are: ${agents.map((each) => each.name).join(', ')}.`);
    const { folders } = this.#ports.fileSystem();
    const text = agent.source === 'shipped' ? '' : await this.#textOf(agent.source, agent.path ?? '');
    if (text === undefined) throw new SharingError(`The file of the agent ${agent.name} cannot be read.`);
    const readPrompt = ({ source, path }: PromptFile) => this.#textOf(source, path);
    return exportedPackage({ agent, text, prompts, skills, readPrompt }, also, {
      homes: [homedir()],
      folders: folders.flatMap(({ roots = [] }) => roots),
    });
  }

  async #offerOf({ pack, source }: ReadPackage, installed: InstalledPackage | undefined): Promise<Offer> {
    const taken = await this.#taken(installed);
    const read = await previewOf(pack, taken, installed && (await this.store.contents(installed)));
    const alike = (await this.store.list()).find(({ name }) => name !== pack.name && comparable(name) === comparable(pack.name));
    const refusals = alike ? [`The name of the package, ${pack.name}, looks like that of your package ${alike.name}.`] : [];
    const preview = { ...read, refusals: [...refusals, ...read.refusals] };
    return { pack, source, preview, ...(installed && { installed }) };
  }

  /** The names of the user's agents, prompt files and skills, without those of the package that is replaced. */
  async #taken(installed: InstalledPackage | undefined): Promise<TakenName[]> {
    const ports = { ...this.#ports, trusted: () => false };
    const [{ agents }, { prompts }, { skills }] = await Promise.all([listAgents(ports), listPromptFiles(ports), listSkills(ports)]);
    const all: TakenName[] = [
      ...agents.map((each) => ({ kind: 'agent' as const, name: each.name, path: each.path ?? 'Kedge' })),
      ...prompts.map((each) => ({ kind: 'prompt' as const, name: each.name, path: each.path })),
      ...skills.map((each) => ({ kind: 'skill' as const, name: each.name, path: each.path })),
    ];
    return all.filter(
      ({ path }) => !installed || (!path.startsWith(`${installed.directory}/`) && !path.startsWith(`${installed.directory}\\`)),
    );
  }

  async #textOf(source: 'user' | 'workspace', path: string): Promise<string | undefined> {
    try {
      if (source === 'user') return decodeText(readRegular(path));
      const fs = this.#ports.fileSystem();
      const at = await fs.canonical(parsePath(path, fs.folders));
      return at && decodeText((await fs.read(at)).bytes);
    } catch {
      return undefined;
    }
  }
}

/** Two commits of one address are the same source. */
function isSame(a: PackageSource, b: PackageSource): boolean {
  return a.kind === b.kind && a.address === b.address;
}
