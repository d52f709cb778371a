import { Icon } from './icon.tsx';

/** Shows a sentence about something that does not work. */
export function Problem({ text }: { text: string }) {
  return (
    <p class="page-problem">
      <Icon name="error" tone="bad" />
      <span>{text}</span>
    </p>
  );
}
