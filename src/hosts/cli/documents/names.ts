/** Returns the names of `-c handbook,manuals -c law`; undefined without the option. */
export function namesOfCollections({ collections }: { collections?: readonly string[] }): string[] | undefined {
  return collections?.flatMap((names) => names.split(',')).filter(Boolean);
}
