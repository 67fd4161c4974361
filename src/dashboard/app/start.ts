// The inline script of the document, which runs before the others are requested: asks who is logged in,
// and opens the socket of the wall, which brings the first pictures. On a slow line each is a round trip.
import { API, socketUrl } from './api/addresses.js';
import { wasLoggedIn } from './api/logged-in.js';
import type { WallComputer } from './api/types.js';
import { thumbnailPath } from './pages/wall/thumbnail-path.js';

/** A one-time link: `/#login=TOKEN`. */
const LINK = /^#login=([\w.~-]{1,512})$/;
/** Pictures that the socket of the wall brings before the page is there. */
const PICTURES = 2;

/** A socket and what it has received. */
export interface FirstSocket {
  readonly socket: WebSocket;
  readonly received: string[];
}

export interface Start {
  /** The token of the link that opened the page. */
  readonly token: string | undefined;
  /** There is probably a session, or a link for one. */
  readonly hasSession: boolean;
  /** The answer of `POST /sessions` with the token, or else of `GET /sessions/current`. */
  readonly opened: Promise<Response>;
  /** The socket of the wall, from the moment when there is probably a session. */
  wall?: FirstSocket | undefined;
  /** By their path; undefined for one that the socket did not bring. */
  readonly pictures: Map<string, Promise<Blob | undefined>>;
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
const hasSession = token !== undefined || wasLoggedIn();
const start: Start = { token, hasSession, opened, pictures: new Map() };
Object.assign(window, { start });

if (token === undefined && hasSession) openWall();
else {
  opened.then(
    ({ ok }) => {
      if (ok) openWall();
    },
    // `resume` handles a failure.
    () => undefined,
  );
}

function openWall(): void {
  const isWall = location.pathname + location.search === '/computers' && !document.hidden;
  const pictures = isWall ? PICTURES : 0;
  const socket = new WebSocket(socketUrl(`/wall?pictures=${pictures}`));
  const received: string[] = [];
  start.wall = { socket, received };
  socket.onmessage = ({ data }) => received.push(data);
  if (pictures > 0) takePictures(socket, pictures);
}

type Give = (picture?: Blob) => void;

/** They are binary messages after the list, in its order; empty for a screen that did not answer. */
function takePictures(socket: WebSocket, count: number): void {
  let awaited: Give[] | undefined;
  socket.addEventListener('message', ({ data }: MessageEvent<string | Blob>) => {
    if (typeof data === 'string') awaited ??= expectPictures(data, count);
    else awaited?.shift()?.(data.size > 0 ? data.slice(0, data.size, 'image/jpeg') : undefined);
  });
  socket.addEventListener('close', () => {
    for (const give of awaited ?? []) give();
  });
}

function expectPictures(list: string, count: number): Give[] {
  const { computers } = JSON.parse(list) as { readonly computers: readonly WallComputer[] };
  const running = computers.filter(({ status }) => status === 'running').slice(0, count);
  return running.map((computer) => {
    let give: Give = () => undefined;
    const picture = new Promise<Blob | undefined>((resolve) => (give = resolve));
    start.pictures.set(thumbnailPath(computer), picture);
    return give;
  });
}
