import type { Terminal } from '@xterm/xterm';
import { asFailure, type Failure } from '../api/failure.js';
import { call } from '../api/http.js';
import type { Computer, Session } from '../api/types.js';
import { watchEscape } from '../pages/computer/screen/escape.js';
import { isShared, keepProofKey, noteLoss, requireProof } from '../state/proof/proof.js';
import { visible } from '../state/visible.js';
import { openShell } from './shell.js';
import { openTerminal } from './terminal.js';

// The terminal of a computer: a document of its own, because xterm adds style elements, which the
// rest of the page does not allow.

const id = location.pathname.split('/').at(-1) ?? '';
const element = (name: string) => document.getElementById(name) as HTMLElement;
const back = element('back') as HTMLAnchorElement;
const again = element('again');
back.href = `/computers/${encodeURIComponent(id)}`;

async function main(): Promise<void> {
  try {
    keepProofKey(await call<Session>('GET', '/sessions/current'));
    const { name, project_name } = await call<Computer>(
      'GET',
      `/computers/${encodeURIComponent(id)}`,
    );
    element('title').textContent = `${project_name}/${name}`;
    document.title = visible(`Terminal of ${project_name}/${name} – vc`);
  } catch (error) {
    const { status, message, remedy } = asFailure(error);
    // Without a session the page of the computer asks for a key.
    if (status === 401) location.href = back.href;
    element('status').textContent = [message, remedy].join(' ');
    return;
  }
  const terminal = openTerminal(element('terminal'));
  watchEscape(element('terminal'), () => back.focus());
  again.addEventListener('click', () => start(terminal));
  start(terminal);
}

/**
 * Shows nothing more of the shell. Without a session the page of the computer asks for a key, unless the
 * address is shared: another program may answer there.
 */
function leave(terminal: Terminal, why?: Failure): void {
  terminal.dispose();
  element('terminal').replaceChildren();
  again.hidden = true;
  if (!isShared) {
    location.replace(back.href);
    return;
  }
  const { message = 'Your session has ended.', remedy = 'Log in again: vc dashboard' } = why ?? {};
  element('status').textContent = `${message} ${remedy}`;
}

function leaveWithoutSession(terminal: Terminal): void {
  call('GET', '/sessions/current').catch((error: unknown) => {
    const failure = asFailure(error);
    if (failure.status === 401) leave(terminal, failure);
  });
}

function start(terminal: Terminal): void {
  again.hidden = true;
  element('status').textContent = 'Connecting';
  // Nothing has told this document of the end of the service since its last shell ended.
  noteLoss();
  requireProof().then(
    () => open(terminal),
    (error: unknown) => refuse(terminal, asFailure(error)),
  );
}

function refuse(terminal: Terminal, failure: Failure): void {
  if (failure.status === 401) {
    leave(terminal, failure);
    return;
  }
  element('status').textContent = failure.message;
  again.hidden = false;
}

function open(terminal: Terminal): void {
  openShell(id, terminal, {
    onOpen: () => {
      element('status').textContent = 'Connected';
      terminal.focus();
    },
    onEnd: (reason, ended) => {
      noteLoss();
      element('status').textContent = reason;
      if (ended === 'session') return leave(terminal);
      leaveWithoutSession(terminal);
      again.hidden = false;
      again.focus();
    },
  });
}

void main();
