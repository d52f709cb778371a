/** `kedge agents import`, `update`, `remove` and `export`: packages of agents with their prompt files and skills. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FILE_ENDING, MANIFEST, manifestText, packageText, SharingError } from '../../../app/sharing/shared-package.ts';
import { makeDirectory } from '../../../sessions/directory.ts';
import type { InstalledPackage } from '../../node/sharing/package-store.ts';
import { type Offer, Sharing } from '../../node/sharing/sharing.ts';
import { userFolder } from '../../node/user-files.ts';
import { EXIT } from '../exit-codes.ts';
import type { Kedge } from '../kedge.ts';
import { type Options, UsageError } from '../options/arguments.ts';
import { oneLine } from '../output/terminal.ts';
import { linesOf } from '../questions.ts';
import { offerText } from './package-text.ts';

export const SHARING_VERBS = ['import', 'update', 'remove', 'export'] as const;

type Running = { kedge: Kedge; options: Pick<Options, 'yes' | 'output'>; env: NodeJS.ProcessEnv; signal: AbortSignal };

export async function sharingOf(kedge: Kedge, env: NodeJS.ProcessEnv): Promise<Sharing> {
  return new Sharing(userFolder(env), await kedge.assistant.ports());
}

/** @throws UsageError if the words are invalid, or if something cannot be shared */
export async function share(verb: (typeof SHARING_VERBS)[number], words: readonly string[], running: Running): Promise<number> {
  const sharing = await sharingOf(running.kedge, running.env);
  try {
    if (verb === 'export') return await exportAgent(sharing, words, running);
    const [name, ...more] = words;
    if (more.length > 0 || (name === undefined && verb !== 'update'))
      throw new UsageError(`Use kedge agents ${verb} ${verb === 'import' ? 'FILE, FOLDER or ADDRESS' : 'NAME'}. See kedge agents --help.`);
    if (verb === 'import') return await store(sharing, await sharing.offer(name as string, process.cwd(), running.signal), running);
    if (verb === 'remove') return await removePackage(sharing, await packageNamed(sharing, name as string), running);
    return await update(sharing, name === undefined ? await sharing.store.list() : [await packageNamed(sharing, name)], running);
  } catch (error) {
    if (running.signal.aborted) return EXIT.stopped;
    throw error instanceof SharingError ? new UsageError(error.message) : error;
  }
}

async function packageNamed(sharing: Sharing, name: string): Promise<InstalledPackage> {
  const found = await sharing.store.find(name.toLowerCase());
  if (found) return found;
  throw new SharingError(`There is no package ${oneLine(name, 40)}. To list the packages, run kedge agents.`);
}

/** Shows everything, and stores it if the user agrees. */
async function store(sharing: Sharing, offer: Offer, { options, signal }: Running): Promise<number> {
  const { preview, pack, installed } = offer;
  const isSame = installed?.digest === pack.digest;
  if (isSame) {
    say(`The package ${pack.name} has not changed.${changedText(installed.changedByHand)}`);
    return EXIT.answered;
  }
  process.stderr.write(offerText(offer, process.stderr.columns ?? 80));
  if (preview.refusals.length > 0) throw new SharingError(`The package cannot be stored. ${preview.refusals.join(' ')}`);
  // The user’s own text is lost only after the question that says so.
  const isAsked = !options.yes || preview.overwritten.length > 0;
  if (isAsked && !process.stdin.isTTY) {
    const how =
      preview.overwritten.length > 0
        ? 'Files that you changed would be replaced, which needs a terminal.'
        : 'To store it without a question, add --yes.';
    process.stderr.write(`Nothing was stored. ${how}\n`);
    return EXIT.stopped;
  }
  const question = installed ? `Replace the package ${pack.name} by this version?` : `Store the package ${pack.name}?`;
  if (isAsked && !(await confirms(question, signal))) {
    process.stderr.write('Nothing was stored.\n');
    return EXIT.stopped;
  }
  signal.throwIfAborted();
  const stored = await sharing.accept(offer);
  say(`Stored ${stored.name} ${stored.digest.slice(0, 16)} in ${stored.directory}.`);
  return EXIT.answered;
}

async function update(sharing: Sharing, packages: readonly InstalledPackage[], running: Running): Promise<number> {
  if (packages.length === 0) say('No packages are installed. To install one: kedge agents import FILE, FOLDER or ADDRESS');
  let code: number = EXIT.answered;
  for (const installed of packages) {
    running.signal.throwIfAborted();
    try {
      code = Math.max(code, await store(sharing, await sharing.offerUpdate(installed, running.signal), running));
    } catch (error) {
      if (packages.length === 1 || !(error instanceof SharingError)) throw error;
      process.stderr.write(`kedge: ${installed.name}: ${oneLine(error.message, 1_000)}\n`);
      code = EXIT.failed;
    }
  }
  return code;
}

async function removePackage(sharing: Sharing, installed: InstalledPackage, { options, signal }: Running): Promise<number> {
  const { name, paths, changedByHand } = installed;
  process.stderr.write(`The package ${name} contains ${paths.join(', ')}.${changedText(changedByHand)}\n`);
  if (!options.yes && process.stdin.isTTY && !(await confirms(`Delete it?`, signal))) return EXIT.stopped;
  if (!options.yes && !process.stdin.isTTY && changedByHand.length > 0)
    throw new SharingError('Files that you changed would be deleted. To delete them, add --yes.');
  await sharing.store.remove(name);
  say(`Removed ${name}.`);
  return EXIT.answered;
}

async function exportAgent(sharing: Sharing, words: readonly string[], { options: { output } }: Running): Promise<number> {
  const [name, ...also] = words;
  const isNamed = also.every((word) => /^(?:prompt|skill):./.test(word));
  if (name === undefined || !isNamed)
    throw new UsageError('Use kedge agents export NAME, then prompt:NAME or skill:NAME for what belongs to it. See kedge agents --help.');
  const named = (kind: string) => also.filter((word) => word.startsWith(`${kind}:`)).map((word) => word.slice(kind.length + 1));
  const { pack, removed } = await sharing.export(name, { prompts: named('prompt'), skills: named('skill') });
  for (const each of removed) process.stderr.write(`${oneLine(each, 500)}\n`);
  if (output === undefined) {
    process.stdout.write(packageText(pack));
    return EXIT.answered;
  }
  const target = resolve(output);
  if (target.endsWith('.json')) {
    if (!target.endsWith(FILE_ENDING)) throw new UsageError(`The file of a package is named NAME${FILE_ENDING}.`);
    if (existsSync(target)) throw new SharingError(`${oneLine(output)} exists already. Delete it first, or choose another name.`);
    makeDirectory(dirname(target));
    writeFileSync(target, packageText(pack), { flag: 'wx' });
  } else {
    if (existsSync(target) && readdirSync(target).length > 0)
      throw new SharingError(`${oneLine(output)} is not empty. Choose another folder.`);
    for (const { path, text } of [...pack.files, { path: MANIFEST, text: manifestText(pack) }]) {
      makeDirectory(dirname(join(target, path)));
      writeFileSync(join(target, path), text, { flag: 'wx' });
    }
  }
  say(`Wrote ${pack.files.map(({ path }) => path).join(', ')} to ${output}. Digest: ${pack.digest.slice(0, 16)}`);
  return EXIT.answered;
}

function changedText(paths: readonly string[]): string {
  return paths.length > 0 ? ` You have changed: ${paths.join(', ')}.` : '';
}

async function confirms(question: string, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const answer = await linesOf(process.stdin).ask(`${question} y = yes, n = no > `, signal);
    if (answer === undefined || /^\s*no?\s*$/i.test(answer)) return false;
    if (/^\s*y(?:es)?\s*$/i.test(answer)) return true;
  }
}

function say(text: string): void {
  process.stdout.write(`${oneLine(text, 4_000)}\n`);
}
