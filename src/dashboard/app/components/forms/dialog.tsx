import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { visible } from '../../state/visible.js';
import { Icon } from '../icon.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog that is open as long as it is rendered. Escape closes it. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return undefined;
    const before = document.activeElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-first], input, select, textarea')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id} class="break">
          {visible(title)}
        </h2>
        <button type="button" class="ghost square" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** The names of what would be lost. */
export function Lost({ names }: { names: readonly string[] }) {
  return (
    <ul class="plain lost">
      {names.map((name) => (
        <li class="clip" key={name}>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** The end of a dialog that only shows something. */
export function Done({ onClose }: Pick<DialogProps, 'onClose'>) {
  return (
    <footer>
      <button type="button" class="primary" data-first onClick={onClose}>
        Done
      </button>
    </footer>
  );
}
