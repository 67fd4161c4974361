/**
 * Keys of a phone's keyboard that delete or break a line without saying which key it is. What is in
 * the field before the text lets it delete something.
 */
const BEFORE = '\u00a0';
const BACKSPACE = [0xff08, 'Backspace'];

/** Whether a key is handled by an input method, which then tells the text. */
export function isComposed({ key, keyCode, isComposing }) {
  return isComposing || keyCode === 229 || ['Dead', 'Process', 'Unidentified'].includes(key);
}

/** What was typed into the field, and whether what stood before it was deleted. */
export function typed(value) {
  if (value.length < BEFORE.length) return { text: '', deletes: true };
  return { text: value.startsWith(BEFORE) ? value.slice(BEFORE.length) : value, deletes: false };
}

/** A text, which may be dictated, as parts that the service takes: of at most 1,000 characters. */
export function partsOf(text) {
  return text.match(/.{1,500}/gsu) ?? [];
}

/**
 * Gives the screen's keys a text field: without one a browser composes no text, so that input methods,
 * dead keys, emoji, dictation and the keyboards of phones do nothing. Keys go to noVNC as before, what
 * is composed to `sendText`, once it is complete. The field has the focus whenever the screen gets it.
 */
export function takeKeys(element, rfb, sendText) {
  const canvas = element.querySelector('canvas');
  const field = document.createElement('textarea');
  field.className = 'keys';
  field.rows = 1;
  // A touch of the screen shows no keyboard; the button for it does.
  if (matchMedia('(pointer: coarse)').matches) field.inputMode = 'none';
  for (const name of ['autocapitalize', 'autocomplete', 'autocorrect'])
    field.setAttribute(name, 'off');
  field.spellcheck = false;
  field.ariaLabel = 'Keyboard of the computer';
  const empty = () => {
    field.value = BEFORE;
    field.setSelectionRange(BEFORE.length, BEFORE.length);
  };
  const take = () => {
    const { text, deletes } = typed(field.value);
    empty();
    if (deletes) rfb.sendKey(...BACKSPACE);
    for (const part of partsOf(text)) sendText(part);
  };
  const pass = (event) => {
    if (event.type === 'keydown' && isComposed(event)) return;
    const copy = new KeyboardEvent(event.type, {
      key: event.key,
      code: event.code,
      keyCode: event.keyCode,
      location: event.location,
      repeat: event.repeat,
      ctrlKey: event.ctrlKey,
      shiftKey: event.shiftKey,
      altKey: event.altKey,
      metaKey: event.metaKey,
      modifierAltGraph: event.getModifierState('AltGraph'),
      modifierCapsLock: event.getModifierState('CapsLock'),
      modifierNumLock: event.getModifierState('NumLock'),
      cancelable: true,
    });
    if (!canvas.dispatchEvent(copy)) event.preventDefault();
  };
  field.addEventListener('keydown', pass);
  field.addEventListener('keyup', pass);
  field.addEventListener('input', (event) => {
    if (!event.isComposing) take();
  });
  field.addEventListener('compositionstart', () => {
    field.dataset.composing = '';
  });
  field.addEventListener('compositionend', () => {
    delete field.dataset.composing;
    take();
  });
  canvas.addEventListener('focus', () => field.focus({ preventScroll: true }));
  // The choices of an input method appear where the pointer was pressed last.
  canvas.addEventListener('mousedown', ({ clientX, clientY }) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    field.style.left = `${Math.max(0, Math.min(clientX - left, width - 200))}px`;
    field.style.top = `${Math.max(0, Math.min(clientY - top, height - 30))}px`;
  });
  empty();
  element.append(field);
  return {
    /** Shows the keyboard of a phone; called by the press of a button. */
    showKeyboard: () => {
      field.inputMode = 'text';
      field.focus();
    },
  };
}
