import type { PanelModel } from '../model.ts';
import { dispatch } from '../store.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

export function Notice({ notice }: { notice: NonNullable<PanelModel['notice']> }) {
  const isError = notice.level === 'error';
  return (
    <div class={`notice ${notice.level}`} role={isError ? 'alert' : 'status'}>
      <Icon name={isError ? 'error' : 'info'} />
      <span class="grow">{notice.text}</span>
      <IconButton icon="close" label="Dismiss" onClick={() => dispatch({ type: 'notice_dismissed' })} />
    </div>
  );
}
