import type { ChangeSummary } from '../../../src/core/session/effects.ts';
import { visibleLine } from '../../../src/core/words/visible-text.ts';
import { splitPath } from '../../format.ts';
import { post } from '../../host.ts';

/**
 * A path as a link. The name stays visible if the folder does not fit. With `callId`, it opens the diff of that tool call instead of the
 * file.
 */
export function FileLink({ path, from, callId }: { path: string; from?: string; callId?: string }) {
  const { folder, name } = splitPath(path);
  const open = () => post(callId ? { type: 'open_diff', callId, path } : { type: 'open_file', path });
  const what = from ? `${from} → ${path}` : path;
  return (
    <button type="button" class="file-link" title={callId ? `Open changes in ${what}` : `Open ${what}`} onClick={open}>
      <span class="name">{visibleLine(name)}</span>
      {folder && <span class="folder">{visibleLine(folder.slice(0, -1))}</span>}
      {from && <span class="folder">from {visibleLine(from)}</span>}
    </button>
  );
}

const KIND = { create: 'new', delete: 'deleted', move: 'moved' } as const;

export function KindBadge({ kind }: { kind: ChangeSummary['kind'] }) {
  return kind === 'edit' ? null : <span class="badge">{KIND[kind]}</span>;
}

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts">
      {added > 0 && <span class="added">+{added}</span>} {removed > 0 && <span class="removed">−{removed}</span>}
      <span class="sr-only"> lines</span>
    </span>
  );
}
