/** A codicon. It is decoration: the name of a control is its text or its label. */
export function Icon({ name, spin, tone }: { name: string; spin?: boolean; tone?: 'good' | 'bad' | 'warn' | 'dim' }) {
  const classes = ['codicon', `codicon-${name}`, spin && 'codicon-modifier-spin', tone && `tone-${tone}`];
  return <span class={classes.filter(Boolean).join(' ')} aria-hidden="true" />;
}

export function Spinner() {
  return <Icon name="loading" spin />;
}
