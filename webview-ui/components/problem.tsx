import { Icon } from './icon.tsx';

/** Shows a sentence that describes a problem. */
export function Problem({ text }: { text: string }) {
  return (
    <p class="page-problem">
      <Icon name="error" tone="bad" />
      <span>{text}</span>
    </p>
  );
}
