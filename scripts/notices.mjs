/** Writes the licenses of the packages whose code is in the bundles. Their licenses require that their texts are distributed with the code. */
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The licenses that may be in the packages. A new one must be read before it is added. */
const ACCEPTED = /^(?:MIT|ISC|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|0BSD|CC-BY-4\.0|Unlicense|BlueOak-1\.0\.0|MPL-2\.0 OR Apache-2\.0)$/;
/** The licenses of packages whose manifests name none. */
const IN_TEXT_ONLY = { khroma: 'MIT' };
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[-._].*)?$/i;
const ROOT = resolve(import.meta.dirname, '..');
const LINE = '-'.repeat(80);

/**
 * `metafiles` are those of all bundles, and `others` are files of packages that are copied.
 * @param {readonly import('esbuild').Metafile[]} metafiles
 * @param {readonly string[]} others
 * @returns {Promise<string>} one text with the license of each package
 */
export async function notices(metafiles, others, root = ROOT) {
  const bundled = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  const folders = new Set([...bundled, ...others].map(packageFolder).filter(Boolean));
  /** The packages by the words of their licenses. Most licenses differ only in the lines about their owners, which stay with the package. */
  const licenses = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license, text } = await licenseOf(join(root, folder));
    const { owners, body } = partsOf(text);
    const words = body.replace(/\W+/g, ' ').trim();
    const { packages = [] } = licenses.get(words) ?? {};
    licenses.set(words, { body, packages: [...packages, `${name} ${version} (${license})\n${owners}`.trim()] });
  }
  const sections = [...licenses.values()].map(({ body, packages }) => [...new Set(packages), body].join('\n\n'));
  const intro = 'Kedge contains code of the following packages. The license of packages follows the last of them.';
  return `${[intro, ...sections].join(`\n\n${LINE}\n\n`)}\n`;
}

/** The text after this line explains how to apply the Apache License, and may name the owner. An alternative license can follow it. */
const END_OF_APACHE = 'END OF TERMS AND CONDITIONS';

function partsOf(text) {
  const start = Math.max(0, text.search(/Permission is|Redistribution and|TERMS AND CONDITIONS/));
  const [before, body] = [text.slice(0, start).trim(), text.slice(start)];
  const end = body.indexOf(END_OF_APACHE);
  if (end < 0) return { owners: before, body };
  const rest = body
    .slice(end)
    .split('\n')
    .filter((line) => /^\s*Copyright (?![[{])/.test(line));
  return { owners: [before, ...rest].join('\n').trim(), body: body.slice(0, end + END_OF_APACHE.length) };
}

/** Returns the innermost package folder in a path such as `lazy:node_modules/a/node_modules/@b/c/index.js`. */
function packageFolder(path) {
  const [, folder] = /(?:^|[:/])(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/')) ?? [];
  return folder;
}

/** @throws Error if a package has no license, or one that nobody has read yet */
async function licenseOf(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const id = String(typeof license === 'string' ? license : (license?.type ?? IN_TEXT_ONLY[name] ?? '')).replace(/^\((.*)\)$/, '$1');
  if (!ACCEPTED.test(id)) throw new Error(`The license of ${name} is ${id || 'missing'}. Read it, and add it to scripts/notices.mjs.`);
  const files = (await readdir(folder)).filter((file) => LICENSE_FILE.test(file) && !/\.(?:[cm]?js|ts|json)$/.test(file)).sort();
  const texts = await Promise.all(files.map(async (file) => (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim()));
  const owner = typeof author === 'string' ? author : author?.name;
  const text = texts.join(`\n\n`) || `${owner ? `Copyright (c) ${owner}\n\n` : ''}${await standardText(id, folder)}`;
  return { name, version, license: id, text };
}

/** Returns the text of a license for a package that only names it. */
async function standardText(id, folder) {
  if (id !== 'MIT') throw new Error(`${folder} contains no license text.`);
  const own = await readFile(join(ROOT, 'LICENSE'), 'utf8');
  return own.slice(own.indexOf('Permission is hereby granted')).trim();
}
