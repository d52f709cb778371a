/** The sources of collections, as an update needs them. */
import type { UpdatePorts } from '../../../documents/store/sources.ts';
import type { SourcedRule } from '../../../policy/rules.ts';
import { PageFetcher } from '../fetch/fetch.ts';
import type { NodeFileSystem } from '../files/file-system.ts';
import { documentsAway } from './away.ts';
import { documentsInFiles } from './file-source.ts';
import { documentsOnPages } from './page-source.ts';

export function sourcePorts(workspace: NodeFileSystem, rules: readonly SourcedRule[]): Pick<UpdatePorts, 'list' | 'away'> {
  const fetcher = new PageFetcher();
  return {
    list: (source, signal, scope) =>
      source.kind === 'url'
        ? documentsOnPages(source, { fetcher, rules }, signal)
        : documentsInFiles(source, { workspace, rules, scope }, signal),
    away: async (source, keys, scope) => (source.kind === 'url' ? [] : documentsAway(source, keys, { workspace, rules, scope })),
  };
}
