import type { IconName } from './icons.ts';

/** A codicon. It is hidden from screen readers, because every control has a text or a label. */
export function Icon({ name, spin, tone }: { name: IconName; spin?: boolean; tone?: 'good' | 'bad' | 'warn' | 'dim' }) {
  const classes = ['codicon', `codicon-${name}`, spin && 'codicon-modifier-spin', tone && `tone-${tone}`];
  return <span class={classes.filter(Boolean).join(' ')} aria-hidden="true" />;
}

export function Spinner() {
  return <Icon name="loading" spin />;
}
