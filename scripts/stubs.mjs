/**
 * Removes the stubs from a build. A stub is a chunk behind an `import()` that only passes on what another chunk exports, because that code
 * belongs to a group (`chunks.mjs`). Each would be a file more to store and to find: together they were 30 KB of the package.
 */

const STUB = /^((?:import(?:\{[^}]*\}from)?"[^"]+";)+)export\{([^}]*)\};\s*$/;
const IMPORT = /import(?:\{([^}]*)\}from)?"([^"]+)";/g;

/**
 * Returns the files without stubs. Whatever loaded one loads the chunk that has the code.
 * @param {ReadonlyMap<string, string>} files the code of each file, minified, by its name
 */
export function withoutStubs(files) {
  const stubs = new Map();
  const imported = new Set([...files.values()].flatMap((code) => [...code.matchAll(IMPORT)].map(([, , path]) => path)));
  for (const [name, code] of files) {
    const stub = /-[A-Z0-9]{8}\.js$/.test(name) && !imported.has(`./${name}`) && stubOf(code);
    if (stub) stubs.set(`./${name}`, stub);
  }
  const kept = [...files].filter(([name]) => !stubs.has(`./${name}`));
  const direct = (whole, path) => {
    const stub = stubs.get(path);
    return stub ? `import("${stub.path}").then(m=>({${stub.names.map(([from, to]) => `${to}:m.${from}`).join()}}))` : whole;
  };
  return new Map(kept.map(([name, code]) => [name, code.replaceAll(/\bimport\("([^"]+)"\)/g, direct)]));
}

/** Returns the only chunk that a stub passes names on from, and the names there and in the stub. */
function stubOf(code) {
  const [, imports, exported] = STUB.exec(code) ?? [];
  if (!imports) return undefined;
  const sources = [...imports.matchAll(IMPORT)].filter(([, names]) => names);
  if (sources.length !== 1) return undefined;
  const [[, names, path]] = sources;
  const origin = new Map(pairs(names).map(([from, local]) => [local, from]));
  return { path, names: pairs(exported).map(([local, to]) => [origin.get(local), to]) };
}

/** Returns the pairs of a list such as `a as b,c`. */
const pairs = (list) =>
  list.split(',').map((each) => {
    const [from, to = from] = each.split(' as ');
    return [from, to];
  });
