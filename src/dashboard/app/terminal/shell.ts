import type { Terminal } from '@xterm/xterm';
import { socketUrl } from '../api/addresses.js';
import { isSessionEnd } from '../api/socket.js';
import { keptShell, REPLACED } from './kept-shell.js';

/** The first byte of a message with bytes: where they go to. */
const STDIN = 0;

interface Handlers {
  readonly onOpen: () => void;
  /** `ended`: the shell; `session`: the session has ended, too. Else the shell continues. */
  readonly onEnd: (reason: string, ended?: 'shell' | 'session') => void;
}

interface Shell {
  /** Ends the shell, too. */
  readonly end: () => void;
  /** Leaves the shell, which continues for a while. */
  readonly leave: (why: string) => void;
}

/** Connects a terminal with the shell `name` of the computer, a new one if there is none. */
export function openShell(
  { id, name }: { readonly id: string; readonly name: string },
  terminal: Terminal,
  { onOpen, onEnd }: Handlers,
): Shell {
  const socket = new WebSocket(socketUrl(`/computers/${encodeURIComponent(id)}/process`));
  socket.binaryType = 'arraybuffer';
  let reason = 'The connection was lost.';
  let isEnded = false;
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
      ...keptShell(name),
      terminal: { columns: terminal.cols, rows: terminal.rows },
    });
    onOpen();
  });
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') [reason, isEnded] = endOf(data);
    else terminal.write(new Uint8Array(data as ArrayBuffer, 1));
  });
  socket.addEventListener('close', (event) => {
    for (const wire of wires) wire.dispose();
    if (isSessionEnd(event)) onEnd('Your session has ended.', 'session');
    else onEnd(reason, isEnded ? 'shell' : undefined);
  });
  return {
    end: () => sendBytes(encoder.encode(name)),
    leave: (why) => {
      if (socket.readyState > WebSocket.OPEN) return;
      reason = why;
      socket.close();
    },
  };
}

/** What the last message of the service says, and whether the shell has ended. */
function endOf(text: string): [reason: string, isEnded: boolean] {
  const { type, code, error, remedy } = JSON.parse(text) as {
    type: string;
    code?: number;
    error?: string;
    remedy?: string;
  };
  if (type !== 'exit') return [[error, remedy].filter(Boolean).join(' '), false];
  if (code === REPLACED) return ['The shell continues in another window.', false];
  return [`The shell has ended (${code ?? 'by a signal'}).`, true];
}
