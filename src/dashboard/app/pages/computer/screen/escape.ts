/**
 * Calls `leave` when Ctrl, Alt and Shift are pressed together in `element`: every other key goes to
 * the computer, Tab and Escape too, so that there has to be a way out by keyboard.
 */
export function watchEscape(element: HTMLElement, leave: () => void): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isAll = event.ctrlKey && event.altKey && event.shiftKey;
    if (!isAll || !element.contains(document.activeElement)) return;
    event.stopPropagation();
    event.preventDefault();
    // noVNC releases the keys that it has sent when the window loses the focus.
    window.dispatchEvent(new Event('blur'));
    leave();
  };
  window.addEventListener('keydown', onKey, { capture: true });
  return () => window.removeEventListener('keydown', onKey, { capture: true });
}
