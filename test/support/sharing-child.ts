/** Stores two versions of a package in turn until it is killed. The argument is the user's folder. */
import { packageOf, readManifest } from '../../src/app/sharing/shared-package.ts';
import { PackageStore } from '../../src/hosts/node/sharing/package-store.ts';

const store = new PackageStore(process.argv[2] as string);
const paths = Array.from({ length: 12 }, (_, index) => `prompts/p${index}.md`);
const versions = await Promise.all(
  ['one', 'two'].map((version) => {
    const manifest = readManifest(JSON.stringify({ kedgePackage: 1, name: 'style', version, files: paths }));
    return packageOf(manifest, new Map(paths.map((path) => [path, `${version}\n`])));
  }),
);
process.stdout.write('ready\n');
for (let round = 0; ; round++) {
  const [pack, before] = [versions[round % 2], (await store.find('style'))?.digest];
  if (pack && before !== pack.digest) await store.install(pack, { kind: 'file', address: '/style.kedge.json' }, before);
}
