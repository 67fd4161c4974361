// The live view's page: trades the ticket behind the # for a session, and shows it with noVNC.
import RFB from '@novnc/novnc';
import { openChannel } from './channel.js';
import { fitDesktop } from './fit.js';
import { takeKeys } from './keys.js';
import { playSound, whyNoSound } from './sound.js';

/** Milliseconds after the keys for copying in which a copied text is what the user has asked for. */
const COPY_MS = 2_000;

/** The clipboard's panel: the text copied in the computer, and a text to send to it. */
function wireClipboard(channel) {
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

const element = (id) => document.getElementById(id);
const id = location.pathname.split('/').at(-1);
const ticket = location.hash.slice(1);
// Remove the ticket from the history and the address bar, even if it was not used.
history.replaceState(null, '', location.pathname);

function setState(state, status) {
  document.body.dataset.state = state;
  element('status').textContent = status;
}

/** Ends the view with an explanation and a command to continue. */
function close(title, text, command) {
  setState('closed', 'Ended');
  element('fullscreen-button').hidden = true;
  if (document.fullscreenElement) document.exitFullscreen();
  element('focus-hint').hidden = true;
  element('sound-button').hidden = true;
  stopSound();
  element('clipboard').hidden = true;
  element('clipboard-button').hidden = true;
  element('keyboard-button').hidden = true;
  element('message-title').textContent = title;
  element('message-text').textContent = text;
  element('message-command').textContent = command ?? '';
  element('message-command').hidden = command === null;
}

const again = `vc view ${id}`;
const ENDINGS = {
  unauthorized: { title: 'This link no longer works' },
  not_running: {
    title: 'The computer is not running',
    text: 'It was stopped. Start it again, then get a new link:',
    command: `vc start ${id}\n${again}`,
  },
  not_found: { title: 'The computer was deleted', command: null },
};

function begin({ mode, name }, channel) {
  const rfb = new RFB(element('desktop'), channel, { shared: true });
  rfb.viewOnly = mode === 'view';
  rfb.scaleViewport = true;
  rfb.background = 'transparent';
  rfb.addEventListener('connect', () => {
    setState('live', 'Live');
    fitDesktop(element('desktop'));
    if (mode === 'control') {
      const keys = takeKeys(element('desktop'), rfb, (text) =>
        channel.sendCommand({ type: 'text', text }),
      );
      element('keyboard-button').addEventListener('click', keys.showKeyboard);
      rfb.focus({ preventScroll: true });
    }
    showFocus();
  });
  document.title = `${name} – vc`;
  document.body.dataset.mode = mode;
  element('keyboard-button').hidden =
    mode !== 'control' || !matchMedia('(pointer: coarse)').matches;
  element('title').textContent = name;
  element('view-only').hidden = mode !== 'view';
  const showFocus = () => {
    const isFocused = element('screen').contains(document.activeElement) && document.hasFocus();
    const isLive = document.body.dataset.state === 'live';
    element('focus-hint').hidden = mode !== 'control' || !isLive || isFocused;
  };
  for (const event of ['focusin', 'focusout']) {
    document.addEventListener(event, () => setTimeout(showFocus));
  }
  for (const event of ['focus', 'blur']) window.addEventListener(event, showFocus);
  if (mode === 'control') wireClipboard(channel);
  wireControl(channel);
  wireSound(channel);
  wireFullScreen(mode, rfb);
}

/** Says who has control alone: the input of this page is then dropped. */
function wireControl(channel) {
  const others = channel.onevent;
  channel.onevent = (event) => {
    if (event.type !== 'control') return others?.(event);
    const { control, is_mine } = event;
    element('control').hidden = control === null || is_mine;
    element('control').textContent = `${control?.holder.key_name ?? 'Another'} has control`;
  };
}

let stopSound = () => {};

/** The button for the sound, which is off at first. */
function wireSound(channel) {
  const button = element('sound-button');
  const note = element('sound-note');
  let isWanted = false;
  const show = (reason) => {
    button.setAttribute('aria-pressed', String(isWanted));
    button.querySelector('span').textContent = isWanted ? 'Mute' : 'Sound';
    note.textContent = reason ?? '';
    note.hidden = reason === undefined;
  };
  const end = (reason) => {
    isWanted = false;
    show(reason);
  };
  button.hidden = false;
  button.addEventListener('click', async () => {
    isWanted = !isWanted;
    show();
    stopSound();
    if (!isWanted) return;
    const reason = await whyNoSound();
    if (reason === undefined) channel.sendCommand({ type: 'sound' });
    else end(reason);
  });
  const others = channel.onevent;
  channel.onevent = (event) => {
    if (event.type !== 'sound') return others?.(event);
    if (!isWanted) return;
    stopSound();
    stopSound = playSound(new URL(`${id}/sound`, location.href), event.ticket, end);
  };
}

function wireFullScreen(mode, rfb) {
  const button = element('fullscreen-button');
  button.addEventListener('click', async () => {
    if (document.fullscreenElement) return document.exitFullscreen();
    await document.documentElement.requestFullscreen();
    if (mode !== 'control') return;
    rfb.focus();
    // Escape, Ctrl+W and the like reach the computer too, where the browser lets them.
    await navigator.keyboard?.lock?.().catch(() => {});
  });
  document.addEventListener('fullscreenchange', () => {
    const label = document.fullscreenElement ? 'Leave full screen' : 'Full screen';
    button.querySelector('span').textContent = label;
  });
}

if (ticket === '') {
  close(
    'This page needs a link',
    'The live view opens with a link that works once. Get one with:',
    again,
  );
} else {
  openChannel(new URL(`${id}/socket`, location.href), ticket, {
    onReady: begin,
    onClosed: (event) => {
      if (event === undefined) {
        close(
          'The connection was lost',
          'The service or the network is not available. Get a new link with:',
          again,
        );
        return;
      }
      const ending = ENDINGS[event.code] ?? {};
      const { title = 'The live view has ended', text = event.reason, command = again } = ending;
      close(title, text, command);
    },
  });
}
