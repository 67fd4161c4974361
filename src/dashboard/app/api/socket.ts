import type { FirstSocket } from '../start.js';
import { isAway, noteReached, returns } from '../state/connection.js';
import { endSession, session } from '../state/session.js';
import { socketUrl } from './addresses.js';
import { call } from './http.js';
import type { KEY_ENDED } from './types.js';

const FIRST_RETRY_MS = 300;
const MOST_RETRY_MS = 5_000;

const ENDED: typeof KEY_ENDED = 4401;

/** Whether a socket was closed because the session has ended. */
export function isSessionEnd({ code }: CloseEvent): boolean {
  return code === ENDED;
}

/**
 * Receives texts until the returned function is called; connects again when the socket ends. `first` is
 * a connection that was opened before.
 */
export function keepSocket(
  path: string,
  receive: (data: string) => void,
  first?: FirstSocket,
): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_RETRY_MS;
  let isClosed = false;
  let isOpen = false;
  const take = ({ data }: Pick<MessageEvent<unknown>, 'data'>) => {
    pause = FIRST_RETRY_MS;
    noteReached();
    if (!isClosed && typeof data === 'string') receive(data);
  };
  const open = (opened = new WebSocket(socketUrl(path))) => {
    clearTimeout(timer);
    socket = opened;
    isOpen = true;
    opened.onmessage = take;
    opened.addEventListener('close', (event) => {
      isOpen = false;
      if (isClosed) return;
      if (isSessionEnd(event)) endSession();
      else void again();
    });
  };
  /** A lost connection has no close code: asks whether the session or the service has ended. */
  const again = async () => {
    await call('GET', '/sessions/current').catch(() => undefined);
    // Without the service there is nothing to try until it is back.
    if (isClosed || isOpen || isAway.value || session.value === null) return;
    timer = setTimeout(() => open(), pause);
    pause = Math.min(pause * 2, MOST_RETRY_MS);
  };
  if (first === undefined || first.socket.readyState > WebSocket.OPEN) open();
  else {
    open(first.socket);
    for (const data of first.received) take({ data });
  }
  const stop = returns.subscribe(() => {
    if (!isOpen && !isClosed) open();
  });
  return () => {
    isClosed = true;
    stop();
    clearTimeout(timer);
    socket?.close();
  };
}
