import type { Terminal } from '@xterm/xterm';
import { isSessionEnd, socketUrl } from '../api/socket.js';

/** Starts the login shell of the user, with a TERM that the guest knows. */
const LOGIN_SHELL = [
  '/bin/sh',
  '-c',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: expanded by the guest's shell
  'infocmp >/dev/null 2>&1 || export TERM=xterm; exec "${SHELL:-/bin/sh}" -l',
];
/** The first byte of a message with bytes: where they go to. */
const STDIN = 0;

interface Handlers {
  readonly onOpen: () => void;
  /** `session`: the session has ended, too. */
  readonly onEnd: (reason: string, ended?: 'session') => void;
}

/** Connects a terminal with a new shell in the computer until either ends. */
export function openShell(
  id: string,
  terminal: Terminal,
  { onOpen, onEnd }: Handlers,
): { readonly close: (why: string) => void } {
  const socket = new WebSocket(socketUrl(`/computers/${encodeURIComponent(id)}/process`));
  socket.binaryType = 'arraybuffer';
  let reason = 'The connection was lost.';
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const sendBytes = (bytes: Uint8Array) => {
    const message = new Uint8Array(bytes.length + 1);
    message[0] = STDIN;
    message.set(bytes, 1);
    if (socket.readyState === WebSocket.OPEN) socket.send(message);
  };
  const encoder = new TextEncoder();
  const wires = [
    terminal.onData((text) => sendBytes(encoder.encode(text))),
    terminal.onBinary((text) => sendBytes(Uint8Array.from(text, (char) => char.charCodeAt(0)))),
    terminal.onResize(({ cols, rows }) => send({ type: 'resize', columns: cols, rows })),
  ];
  socket.addEventListener('open', () => {
    send({
      argv: LOGIN_SHELL,
      env: { TERM: 'xterm-256color' },
      terminal: { columns: terminal.cols, rows: terminal.rows },
    });
    onOpen();
  });
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') reason = endOf(data);
    else terminal.write(new Uint8Array(data as ArrayBuffer, 1));
  });
  socket.addEventListener('close', (event) => {
    for (const wire of wires) wire.dispose();
    if (isSessionEnd(event)) onEnd('Your session has ended.', 'session');
    else onEnd(reason);
  });
  return {
    close: (why) => {
      if (socket.readyState > WebSocket.OPEN) return;
      reason = why;
      socket.close();
    },
  };
}

/** What the last message of the service says. */
function endOf(text: string): string {
  const event = JSON.parse(text) as {
    type: string;
    code?: number;
    error?: string;
    remedy?: string;
  };
  if (event.type === 'exit') return `The shell has ended (${event.code ?? 'by a signal'}).`;
  return [event.error, event.remedy].filter((part) => part !== undefined).join(' ');
}
