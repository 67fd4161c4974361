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
  channel.onevent = (event) => {
    if (event.type !== 'clipboard') return;
    text.value = event.text;
    // Browsers allow it only on focused secure pages; otherwise users copy from the panel.
    navigator.clipboard?.writeText(event.text).catch(() => {});
  };
}
