import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { asFailure } from '../api/failure.js';
import { call } from '../api/http.js';
import type { Computer, Session } from '../api/types.js';
import { watchEscape } from '../pages/computer/screen/escape.js';
import { shellKey } from '../state/shell-key.js';
import { visible } from '../state/visible.js';
import { openShell } from './shell.js';

// The terminal of a computer: a document of its own, because xterm adds style elements, which the
// rest of the page does not allow.

const id = location.pathname.split('/').at(-1) ?? '';
const element = (name: string) => document.getElementById(name) as HTMLElement;
const back = element('back') as HTMLAnchorElement;
const again = element('again');
/** The page of the computer shows it beside the screen, and the login itself. */
const isFramed = window.top !== window;
document.body.classList.toggle('framed', isFramed);
back.href = `/computers/${encodeURIComponent(id)}`;

async function main(): Promise<void> {
  try {
    const [{ name, project_name }, { key }] = await Promise.all([
      call<Computer>('GET', `/computers/${encodeURIComponent(id)}`),
      call<Session>('GET', '/sessions/current'),
    ]);
    element('title').textContent = `${project_name}/${name}`;
    if (key.rights === 'look') {
      element('status').textContent = 'Your key may only look; a terminal needs one that may act.';
      return;
    }
    document.title = visible(`Terminal of ${project_name}/${name} – vc`);
  } catch (error) {
    const { status, message, remedy } = asFailure(error);
    if (status === 401) return toLogin();
    element('status').textContent = [message, remedy].join(' ');
    return;
  }
  const terminal = openTerminal(element('terminal'));
  // To the button of a terminal beside the screen, or to the first tab of the computer.
  const frame = window.frameElement;
  const leave =
    frame?.closest('section')?.querySelector('button') ??
    frame?.closest('.computer')?.querySelector<HTMLElement>('.tabs a') ??
    back;
  watchEscape(element('terminal'), () => leave.focus());
  again.addEventListener('click', () => start(terminal));
  start(terminal);
}

/** Leaves nothing of the shell on the screen. The login leads back here. */
function toLogin(): void {
  if (isFramed) return;
  location.replace(`/login?to=${encodeURIComponent(location.pathname)}`);
}

/** A new name; pages over plain HTTP have no `randomUUID`. */
const newName = () => crypto.getRandomValues(new BigUint64Array(2)).join('');

/** Where the tab keeps the name of its shell. The page of the computer removes it to end the shell. */
const storedName = shellKey(id, location.hash.slice(1));

function start(terminal: Terminal): void {
  again.hidden = true;
  element('status').textContent = 'Connecting';
  const name = sessionStorage.getItem(storedName) ?? newName();
  sessionStorage.setItem(storedName, name);
  // The shell's newest output comes again.
  terminal.reset();
  const shell = openShell({ id, name }, terminal, {
    onOpen: () => {
      element('status').textContent = 'Connected';
      terminal.focus();
    },
    onEnd: (reason, ended) => {
      element('status').textContent = reason;
      if (ended === 'session') return toLogin();
      call('GET', '/sessions/current').catch((error: unknown) => {
        if (asFailure(error).status === 401) toLogin();
      });
      again.textContent = ended === 'shell' ? 'Open a new shell' : 'Connect again';
      again.hidden = false;
      again.focus();
    },
  });
  // The browser may keep a page that was left, and its connection.
  const leave = () => {
    if (sessionStorage.getItem(storedName) === null) shell.end();
    else shell.leave('You left this page; the shell continues.');
  };
  window.addEventListener('pagehide', leave, { once: true });
}

const dark = matchMedia('(prefers-color-scheme: dark)');

const DARK = {
  background: '#0b0e14',
  foreground: '#e6ebf3',
  cursor: '#7fabff',
  selectionBackground: '#2a4676',
};
const LIGHT = {
  background: '#ffffff',
  foreground: '#151b26',
  cursor: '#1b5bd0',
  selectionBackground: '#b9d2ff',
  green: '#0d7344',
  yellow: '#8a5200',
  blue: '#1b5bd0',
  cyan: '#0b6b7a',
  white: '#586478',
  brightGreen: '#0d7344',
  brightYellow: '#8a5200',
  brightBlue: '#1b5bd0',
  brightWhite: '#151b26',
};

/** A terminal that fills the element and follows the colours of the system. */
function openTerminal(element: HTMLElement): Terminal {
  const terminal = new Terminal({
    fontFamily: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace',
    fontSize: Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
    // With 1, the next row hides the underscores of some fonts.
    lineHeight: 1.2,
    scrollback: 10_000,
    screenReaderMode: true,
    theme: dark.matches ? DARK : LIGHT,
    // Text on any background of a program stays readable.
    minimumContrastRatio: 4.5,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(element);
  if (terminal.textarea !== undefined) takeText(terminal, terminal.textarea);
  fit.fit();
  new ResizeObserver(() => fit.fit()).observe(element);
  dark.addEventListener('change', () => {
    terminal.options.theme = dark.matches ? DARK : LIGHT;
  });
  return terminal;
}

/** In the mode for screen readers, xterm drops what is typed without a key: emoji and dictation. */
function takeText(terminal: Terminal, field: HTMLTextAreaElement): void {
  let isKeyDown = false;
  for (const type of ['keydown', 'keyup'] as const) {
    field.addEventListener(type, () => {
      isKeyDown = type === 'keydown';
    });
  }
  field.addEventListener('input', (event) => {
    const { data, inputType, isComposing } = event as InputEvent;
    if (inputType === 'insertText' && !isComposing && !isKeyDown && data) terminal.input(data);
  });
}

void main();
