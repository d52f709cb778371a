/** Measures the sizes of the built files. `npm run build` must have run before. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../scripts/editor.ts';

const DIST = join(root, 'dist');

/** Returns the path of an entry point, or of a chunk behind an `import()`, whose file name ends with a hash. */
export async function bundleFile(name: string): Promise<string> {
  const files = await readdir(DIST);
  const file = files.find((each) => each === `${name}.js`) ?? files.find((each) => each.startsWith(`${name}-`) && each.endsWith('.js'));
  if (!file) throw new Error(`dist/ holds no ${name}. Run npm run build first.`);
  return join(DIST, file);
}

/** Returns the size in bytes of a bundle and of everything that it imports statically. */
export async function staticSize(name: string): Promise<number> {
  const sizes = new Map<string, number>();
  const visit = async (file: string) => {
    if (sizes.has(file)) return;
    sizes.set(file, (await stat(file)).size);
    const imports = (await readFile(file, 'utf8')).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g);
    for (const [, imported] of imports) await visit(join(DIST, imported as string));
  };
  await visit(await bundleFile(name));
  return [...sizes.values()].reduce((total, size) => total + size, 0);
}
