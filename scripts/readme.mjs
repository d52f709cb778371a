// Leaves the pictures out of the README of the extension. On the page of an extension, VS Code shows only pictures that it loads from the web
// (https): it removes relative addresses and embedded pictures. Kedge loads nothing from the web, and its walkthrough has the same pictures.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns the text of README.md for the package of the extension. */
export async function readmeForExtension() {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  return readme
    .replace(/^\|.*\|\r?\n\|[-|]+\|\r?\n\|.*!\[.*\|\r?\n/gm, 'The command *Kedge: Get Started* shows pictures of each mode.\n')
    .replace(/<picture>[\s\S]*?<\/picture>\s*/g, '');
}
