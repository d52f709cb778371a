/** Lists and reads the documents of folders, globs and single files. */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, sep } from 'node:path';
import type { Source } from '../../../documents/collections.ts';
import { formatOfName } from '../../../documents/names.ts';
import { SourceDenied, type SourceDocument, SourceError } from '../../../documents/store/sources.ts';
import type { Location } from '../../../workspace/types.ts';
import { NodeFileSystem } from '../files/file-system.ts';
import { type DocumentAccess, leadsOutside, openSource, realPath, type SourceFolder } from './access.ts';

type FileSource = Exclude<Source, { kind: 'url' }>;

/** The number of files of a source that are examined. */
const MAX_FILES = 200_000;
const INSTALLED = /(^|\/)node_modules\//;

/** @throws SourceError when nothing is there. @throws SourceDenied when it may not be read */
export async function* documentsInFiles(source: FileSource, access: DocumentAccess, signal: AbortSignal): AsyncGenerator<SourceDocument> {
  const { path } = source;
  const real = realPath(path);
  if (real === undefined) throw new SourceError(`${path} does not exist. Create it, or remove the collection and add its other sources.`);
  // Packages are often installed as links.
  if (leadsOutside(path, real, access.workspace) && !INSTALLED.test(path.replaceAll(sep, '/')))
    throw new SourceDenied(`${path} was left out: it leads outside the workspace through a link. Add ${real} instead.`);
  const isFile = source.kind === 'file';
  const disk = new NodeFileSystem([isFile ? dirname(real) : real]);
  const folder = await openSource(disk, access);
  if (isFile) {
    const at = { folder: 0, path: basename(real) };
    if (folder.hides(at))
      throw new SourceDenied(`${path} was left out: it may contain secrets, or a rule or .kedgeignore excludes it from being read.`);
    yield documentAt(at, disk, folder);
    return;
  }
  const include = source.kind === 'glob' ? { include: source.glob } : {};
  const { files, truncated } = await folder.files.find({ ...include, limit: MAX_FILES, hides: folder.hides }, signal);
  // The folder of a drive that is not connected is empty.
  if (files.length === 0 && readdirSync(real).length === 0)
    throw new SourceError(`${path} is empty, so nothing was changed. If it is on a drive, connect the drive and update the collection.`);
  for (const at of files) {
    const format = formatOfName(at.path);
    if (!format || (format === 'code' && source.code !== true) || INSTALLED.test(at.path) || folder.hides(at)) continue;
    const document = documentAt(at, disk, folder);
    if (document.size !== undefined) yield document;
  }
  if (truncated) throw new SourceError(`${path} has more than ${MAX_FILES.toLocaleString('en')} files. The rest was left out.`);
}

function documentAt(at: Location, disk: NodeFileSystem, { files, hides, keyOf }: SourceFolder): SourceDocument {
  const stats = statSync(disk.absolute(at), { throwIfNoEntry: false });
  return {
    key: keyOf(at),
    file: disk.absolute(at),
    name: basename(at.path),
    ...(stats?.isFile() && { size: stats.size, mtimeMs: stats.mtimeMs }),
    async bytes() {
      // The path is resolved again, because it may have become a link since.
      const real = await files.canonical(at);
      if (!real || real.path !== at.path || hides(real)) throw new Error('The file is a link now, and was not followed.');
      return (await files.read(real)).bytes;
    },
  };
}
