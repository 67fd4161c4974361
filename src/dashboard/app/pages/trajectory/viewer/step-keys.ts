import { useEffect } from 'preact/hooks';

interface StepKeys {
  readonly last: number;
  readonly select: (at: number) => void;
  readonly move: (by: number) => void;
  readonly toggle: () => void;
}

/** What has these keys for itself. */
const OWN_KEYS = 'input, select, textarea, dialog, [role="menu"]';
const PRESSED_BY_SPACE = 'button, a, summary, pre';

/** The arrow keys go to other steps, Space plays, wherever the focus is. */
export function useStepKeys({ last, select, move, toggle }: StepKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, altKey, metaKey, shiftKey } = event;
      if (ctrlKey || altKey || metaKey || shiftKey || event.defaultPrevented) return;
      const on = target instanceof Element ? target : document.body;
      if (on.closest(OWN_KEYS) !== null) return;
      if (key === 'ArrowLeft') move(-1);
      else if (key === 'ArrowRight') move(1);
      else if (key === 'Home') select(0);
      else if (key === 'End') select(last);
      else if (key === ' ' && on.closest(PRESSED_BY_SPACE) === null) toggle();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
