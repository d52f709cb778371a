import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

type ButtonProps = {
  children: ComponentChildren;
  onClick: () => void;
  icon?: IconName;
  kind?: 'primary' | 'secondary' | 'link';
  disabled?: boolean;
  title?: string;
  /** The accessible name, which must contain the visible text. */
  label?: string;
};

export function Button({ children, onClick, icon, kind = 'secondary', disabled, title, label }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} onClick={onClick} disabled={disabled} title={title} aria-label={label}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

type IconButtonProps = { icon: IconName; label: string; onClick: () => void; disabled?: boolean; pressed?: boolean };

/** A square button with only an icon, as in VS Code's toolbars. With `pressed`, it is a toggle button. */
export function IconButton({ icon, label, onClick, disabled, pressed }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick} disabled={disabled} aria-pressed={pressed}>
      <Icon name={icon} />
    </button>
  );
}
