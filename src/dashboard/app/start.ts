// The inline script of the document, which runs before the others are requested: asks who is logged in,
// and opens the socket of the wall, which brings the first pictures. On a slow line each is a round trip.
import { API, socketUrl } from './api/addresses.js';
import { wasLoggedIn } from './api/logged-in.js';
import type { WallComputer } from './api/types.js';

/** A one-time link: `/#login=TOKEN`. */
const LINK = /^#login=([\w.~-]{1,512})$/;
/** Pictures that the socket of the wall brings before the page is there. */
const PICTURES = 2;

/** A socket and what it has received. */
export interface FirstSocket {
  readonly socket: WebSocket;
  readonly received: string[];
}

export interface FirstPicture {
  readonly seq: number;
  /** Undefined if the socket did not bring it. */
  readonly picture: Promise<Blob | undefined>;
}

export interface Start {
  /** The token of the link that opened the page. */
  readonly token: string | undefined;
  /** There is probably a session, or a link for one. */
  readonly mayHaveSession: boolean;
  /** The answer of `POST /sessions` with the token, or else of `GET /sessions/current`. */
  readonly opened: Promise<Response>;
  /** The socket of the wall, from the moment when there is probably a session. */
  wall?: FirstSocket | undefined;
  /** By the id of the computer. */
  readonly pictures: Map<string, FirstPicture>;
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
const mayHaveSession = token !== undefined || wasLoggedIn();
const start: Start = { token, mayHaveSession, opened, pictures: new Map() };
Object.assign(window, { start });

if (token === undefined && mayHaveSession) openWall();
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
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') received.push(data);
  };
  if (pictures > 0) takePictures(socket, pictures);
}

/** Takes the binary messages of the socket, which the page ignores. */
function takePictures(socket: WebSocket, count: number): void {
  let pending: ((picture?: Blob) => void)[] | undefined;
  socket.addEventListener('message', async ({ data }: MessageEvent<string | Blob>) => {
    if (typeof data === 'string') pending ??= expectPictures(data, count);
    else {
      const [index = 0] = new Uint8Array(await data.slice(0, 1).arrayBuffer());
      const picture = data.size > 1 ? data.slice(1, data.size, 'image/jpeg') : undefined;
      pending?.[index]?.(picture);
    }
  });
  socket.addEventListener('close', () => {
    for (const resolve of pending ?? []) resolve();
  });
}

/** Notes which pictures follow a list. Answers a function for each, which takes it. */
function expectPictures(list: string, count: number) {
  const { computers } = JSON.parse(list) as { readonly computers: readonly WallComputer[] };
  const running = computers.filter(({ status }) => status === 'running').slice(0, count);
  return running.map(({ id, seq }) => {
    let take: (picture?: Blob) => void = () => undefined;
    const picture = new Promise<Blob | undefined>((resolve) => {
      take = resolve;
    });
    start.pictures.set(id, { seq, picture });
    return take;
  });
}
