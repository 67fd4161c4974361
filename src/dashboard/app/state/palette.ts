import { signal } from '@preact/signals';

/** Whether the command palette is shown. */
export const isPaletteOpen = signal(false);

const FIELDS = 'input, textarea, select, [contenteditable], .screen';

/** Opens the palette with `/` or Ctrl+K, unless the key is typed: into a field, a dialog or a screen. */
export function watchKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, target, defaultPrevented } = event;
    const isCommand = (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k';
    const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey;
    if (defaultPrevented || !(isCommand || isSlash)) return;
    const element = target instanceof Element ? target : undefined;
    const isTyped = element?.closest(isCommand ? '.screen' : FIELDS) != null;
    if (isTyped || document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    isPaletteOpen.value = true;
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}
