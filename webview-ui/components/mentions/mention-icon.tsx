import type { MentionKind } from '../../../src/core/model/messages.ts';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icons.ts';

const ICONS: Record<MentionKind, IconName> = {
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
