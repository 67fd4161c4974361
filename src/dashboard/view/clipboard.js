/** Milliseconds after the keys for copying in which a copied text is what the user has asked for. */
const COPY_MS = 2_000;

/** The clipboard's panel: the text copied in the computer, and a text to send to it. */
export function wireClipboard(channel) {
  const button = document.getElementById('clipboard-button');
  const panel = document.getElementById('clipboard');
  const text = document.getElementById('clipboard-text');
  const send = document.getElementById('clipboard-send');
  const open = (isOpen) => {
    panel.hidden = !isOpen;
    button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) text.focus();
  };
  button.hidden = false;
  button.addEventListener('click', () => open(panel.hidden));
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') open(false);
  });
  send.addEventListener('click', () => {
    channel.sendCommand({ type: 'clipboard', text: text.value });
    open(false);
  });
  let askedAt = -COPY_MS;
  const noticeCopy = ({ key, ctrlKey, metaKey }) => {
    if ((ctrlKey || metaKey) && /^([cx]|insert)$/i.test(key)) askedAt = performance.now();
  };
  // Before the screen takes the key.
  window.addEventListener('keydown', noticeCopy, true);
  channel.onevent = (event) => {
    if (event.type !== 'clipboard') return;
    text.value = event.text;
    // A program could replace what the user is about to paste elsewhere.
    if (performance.now() - askedAt > COPY_MS) return;
    // Browsers allow it only on focused secure pages; otherwise users copy from the panel.
    navigator.clipboard?.writeText(event.text).catch(() => {});
  };
}
