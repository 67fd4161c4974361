// The inline script of the document, which runs before the others are requested: asks who is logged in,
// and begins what the first page shows. On a slow line each of these is a round trip.
import { API, socketUrl } from './api/addresses.js';
import type { WallComputer } from './api/types.js';
import { thumbnailPath } from './pages/wall/thumbnail-path.js';

/** A one-time link: `/#login=TOKEN`. */
const LINK = /^#login=([\w.~-]{1,512})$/;
/** Pictures that are requested before the page is there. */
const PICTURES = 2;

/** A socket and what it has received. */
export interface FirstSocket {
  readonly socket: WebSocket;
  readonly received: string[];
}

export interface Start {
  /** The token of the link that opened the page. */
  readonly token: string | undefined;
  /** The answer of `POST /sessions` with the token, or else of `GET /sessions/current`. */
  readonly opened: Promise<Response>;
  /** The socket of the wall, from the moment the session is open. */
  wall?: FirstSocket | undefined;
  /** Answers by their path. */
  readonly pictures: Map<string, Promise<Response>>;
}

declare global {
  interface Window {
    readonly start: Start;
  }
}

const headers = { 'x-vc-page': '1', 'content-type': 'application/json' };
const send = (path: string, options?: RequestInit) =>
  fetch(API + path, { headers, credentials: 'same-origin', ...options });

const token = LINK.exec(location.hash)?.[1];
// It leaves the address bar and the history before anything else happens.
if (token !== undefined) history.replaceState(null, '', location.pathname + location.search);

const opened =
  token === undefined
    ? send('/sessions/current')
    : send('/sessions', { method: 'POST', body: JSON.stringify({ login: token }) });
const start: Start = { token, opened, pictures: new Map() };
Object.assign(window, { start });

opened.then(
  ({ ok }) => {
    if (ok) openWall();
  },
  // `resume` handles a failure.
  () => undefined,
);

function openWall(): void {
  const socket = new WebSocket(socketUrl('/wall'));
  const received: string[] = [];
  start.wall = { socket, received };
  socket.onmessage = ({ data }) => {
    received.push(data);
    const isWall = location.pathname + location.search === '/computers' && !document.hidden;
    if (received.length === 1 && isWall) requestPictures(data);
  };
}

function requestPictures(list: string): void {
  const { computers } = JSON.parse(list) as { readonly computers: readonly WallComputer[] };
  const running = computers.filter(({ status }) => status === 'running');
  for (const computer of running.slice(0, PICTURES)) {
    const path = thumbnailPath(computer);
    const picture = send(path, { headers: { ...headers, accept: 'image/jpeg' } });
    picture.catch(() => undefined);
    start.pictures.set(path, picture);
  }
}
