/** Returns the files that were dragged from VS Code or another program. Web addresses remain text. */
export function droppedUris(data: DataTransfer | null): string[] {
  const lists = ['application/vnd.code.uri-list', 'text/uri-list'].map((type) => data?.getData(type) ?? '');
  const uris = lists
    .flatMap((list) => list.split(/\r?\n/))
    .filter((line) => /^[a-z][a-z0-9+.-]*:/i.test(line) && !/^(https?|data|blob):/i.test(line));
  return [...new Set(uris)].slice(0, 100);
}
