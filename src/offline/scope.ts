/** The paths and globs that a request is limited to. A request without paths and globs applies to the entire workspace. */
export type Scope = { paths: string[]; globs: string[] };

export const EVERYWHERE: Scope = { paths: [], globs: [] };

/** Well-known files without an extension. */
const BARE_FILES = new Set(
  [
    'Makefile makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Vagrantfile Gemfile Rakefile Procfile Brewfile Justfile justfile',
    'LICENSE LICENCE README CHANGELOG NOTICE AUTHORS CONTRIBUTING CODEOWNERS',
  ].flatMap((names) => names.split(' ')),
);
const LANGUAGES: Record<string, string> = {
  typescript: '{ts,tsx,mts,cts}',
  ts: '{ts,tsx,mts,cts}',
  javascript: '{js,jsx,mjs,cjs}',
  js: '{js,jsx,mjs,cjs}',
  python: 'py',
  rust: 'rs',
  golang: 'go',
  ruby: 'rb',
  kotlin: '{kt,kts}',
  'c++': '{cpp,cc,cxx,hpp,hh,h}',
  'c#': 'cs',
  markdown: '{md,markdown,mdx}',
  yaml: '{yml,yaml}',
  shell: '{sh,bash}',
};

export function hasGlob(text: string): boolean {
  return /[*?{]/.test(text);
}

/** Returns true if the text is a path: a name with a directory or an extension, or a well-known name such as `Makefile`. */
export function isPath(text: string): boolean {
  if (/[\n<>|"]/.test(text) || /\s\S*\s/.test(text) || /^\/.*\/$/.test(text)) return false;
  return (
    BARE_FILES.has(baseName(text)) ||
    /[^\s/\\]+[/\\]/.test(text) ||
    /^\.[A-Za-z][\w.-]*$/.test(text) ||
    /[^\s.]\.[A-Za-z][A-Za-z0-9_]{0,9}$/.test(text)
  );
}

export function isFilePath(text: string): boolean {
  return isPath(text) && !/[/\\]$/.test(text) && (BARE_FILES.has(baseName(text)) || /\.[A-Za-z0-9_]{1,12}$/.test(text));
}

/** Converts a place to a glob: `*.ts` matches in any directory, `src` and `src/` match everything below. */
export function globOf(text: string): string {
  const clean = text.replaceAll('\\', '/').replace(/^\.\//, '');
  const extension = /^\.[A-Za-z0-9]+$/.test(clean) ? clean.slice(1) : undefined;
  if (extension) return `**/*.${extension}`;
  if (hasGlob(clean)) return clean.includes('/') ? clean : `**/${clean}`;
  return `${clean.replace(/\/+$/, '')}/**`;
}

/** Returns a glob for a kind of file, as in "ts files" or "all Python files". */
export function kindGlob(text: string): string | undefined {
  const kind = /^(?:all )?(?:the )?\*?\.?([\w+#]+) files?$/i.exec(text)?.[1];
  return kind && !/^(?:all|the|these|source|any)$/i.test(kind) ? `**/*.${LANGUAGES[kind.toLowerCase()] ?? kind.toLowerCase()}` : undefined;
}

/** Returns the scope that the words name, or undefined if one of them is not a path, glob or kind of file. */
export function scopeOf(words: readonly string[]): Scope | undefined {
  const scope: Scope = { paths: [], globs: [] };
  for (const word of words.map((each) => each.trim()).filter((each) => each !== '')) {
    const glob = kindGlob(word);
    const clean = word.replace(/^(?:the )?(?:(?:file|directory|folder|dir) )?/i, '').replace(/ (?:directory|folder|dir|file)$/i, '');
    if (
      /^(?:\.\/?|everywhere|all files|(?:the |this )?(?:whole |entire )?(?:project|workspace|repo|repository|code ?base|code))$/i.test(word)
    )
      continue;
    if (/^(?:the )?(?:top|root)(?: directory| folder)?$/i.test(word)) scope.globs.push('*');
    else if (glob) scope.globs.push(glob);
    else if (/\s\S*\s/.test(clean) || clean === '') return undefined;
    else if (!hasGlob(clean) && isFilePath(clean) && !/^\.[a-z0-9]{1,4}$/i.test(clean))
      scope.paths.push(clean.replaceAll('\\', '/').replace(/^\.\//, ''));
    else scope.globs.push(globOf(clean));
  }
  return scope;
}

export function isEverywhere(scope: Scope): boolean {
  return scope.paths.length === 0 && scope.globs.length === 0;
}

/** Describes the scope at the end of a sentence: " in src/a.ts and lib/**". */
export function scopeText(scope: Scope): string {
  return isEverywhere(scope) ? '' : ` in ${[...scope.paths, ...scope.globs].join(' and ')}`;
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function directoryOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

export function stemOf(path: string): string {
  return baseName(path).replace(/(?<=.)\.[^.]*$/, '');
}
