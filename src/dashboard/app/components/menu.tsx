import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

interface MenuProps {
  readonly label: string;
  readonly icon: IconName;
  /** Shows the label beside the icon. */
  readonly wide?: boolean;
  /** Of the button. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A button that opens a list of actions. */
export function Menu({ label, icon, wide = false, class: kind, children }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const place = (event: Event) => {
    const { newState } = event as ToggleEvent;
    if (newState === 'open') placeBelow(list.current, button.current);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={kind ?? (wide ? '' : 'ghost square')}
        popovertarget={id}
        aria-label={wide ? undefined : label}
        title={wide ? undefined : label}
      >
        <Icon name={icon} />
        {wide && <span aria-live="polite">{label}</span>}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        class="menu"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        onBeforeToggle={place}
        onToggle={({ newState }) => {
          if (newState !== 'open') return;
          keepWithin(list.current);
          step(1, list.current);
        }}
        onClick={() => list.current?.hidePopover()}
        onKeyDown={(event) => {
          const by = STEPS[event.key];
          if (by === undefined) return;
          event.preventDefault();
          step(by, list.current);
        }}
      >
        {children}
      </div>
    </>
  );
}

/** Puts the list below its button, within the window. */
function placeBelow(list: HTMLElement | null, button: HTMLElement | null): void {
  if (list === null || button === null) return;
  const { bottom, right, left } = button.getBoundingClientRect();
  const isLeft = left < innerWidth / 2;
  list.style.top = `${Math.min(bottom + 4, innerHeight - 80)}px`;
  list.style.left = isLeft ? `${Math.max(left, 8)}px` : 'auto';
  list.style.right = isLeft ? 'auto' : `${Math.max(innerWidth - right, 8)}px`;
}

/** Moves a list that is open up if it ends below the window. */
function keepWithin(list: HTMLElement | null): void {
  if (list === null) return;
  const { bottom, top } = list.getBoundingClientRect();
  const most = innerHeight - 8;
  if (bottom > most) list.style.top = `${Math.max(top - (bottom - most), 8)}px`;
}

/** The arrow keys move through the actions. */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus to another action; from outside the list to its first. */
function step(by: number, list: HTMLElement | null): void {
  const items = [...(list?.querySelectorAll<HTMLElement>('.item:enabled') ?? [])];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + by + items.length) % items.length]?.focus();
}

interface ItemProps {
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

export function Item({ icon, danger = false, disabled = false, onClick, children }: ItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      class={danger ? 'item bad' : 'item'}
      disabled={disabled}
      onClick={onClick}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}
