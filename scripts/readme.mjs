// Embeds the pictures of README.md into its text. VS Code loads no relative address on the page of an extension, and the package loads nothing
// from the web.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns the text of README.md for the package of the extension. */
export async function readmeWithPictures() {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  // VS Code leaves out <picture>, so only the picture for light themes is embedded.
  const text = readme.replace(/<picture>[\s\S]*?(<img[^>]*>)[\s\S]*?<\/picture>/g, '$1');
  const names = new Set([...text.matchAll(/(?<=\]\(|src=")media\/[\w/-]+\.webp/g)].map(([name]) => name));
  const urls = await Promise.all(
    [...names].map(async (name) => [name, `data:image/webp;base64,${await readFile(join(root, name), 'base64')}`]),
  );
  return urls.reduce((embedded, [name, url]) => embedded.replaceAll(name, url), text);
}
