import type { MentionKind } from '../../../src/core/model/messages.ts';
import { Icon } from '../icon.tsx';

const ICONS: Record<MentionKind, string> = {
  file: 'file',
  folder: 'folder',
  selection: 'list-selection',
  symbol: 'symbol-method',
  problems: 'warning',
  changes: 'diff',
  terminal: 'terminal',
  url: 'globe',
  session: 'history',
  resource: 'server',
  collection: 'library',
  attachment: 'attach',
};

export function MentionIcon({ kind }: { kind: MentionKind }) {
  return <Icon name={ICONS[kind]} />;
}
