import { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { ViewEvent } from '../../src/contract/sockets/view.js';

/** A live view, opened from its link as the page does. */
export interface TestViewer {
  /** RFB, in both directions. */
  readonly stream: Duplex;
  readonly socket: WebSocket;
  /** The service's text messages. */
  readonly events: ViewEvent[];
  /** The first text message, or undefined if the socket closed without one. */
  readonly first: Promise<ViewEvent | undefined>;
  /** The reason of the end. */
  readonly closed: Promise<Extract<ViewEvent, { type: 'closed' }> | undefined>;
}

/** Connects to the service at `baseUrl` if the link is that of a proxy. */
export function openViewer(link: string, opening?: string | Buffer, baseUrl?: string): TestViewer {
  const url = new URL(link);
  const ticket = url.hash.slice(1);
  const { origin, host } = url;
  const isProxied = url.protocol === 'https:';
  url.hash = '';
  url.protocol = 'ws:';
  url.pathname += '/socket';
  if (baseUrl !== undefined && isProxied) url.host = new URL(baseUrl).host;
  const socket = new WebSocket(url, { origin, headers: { host } });
  const events: ViewEvent[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      socket.send(chunk, (error) => done(error ?? null));
    },
    final(done) {
      socket.close();
      done();
    },
  });
  stream.on('error', () => {});
  socket.on('open', () => socket.send(opening ?? JSON.stringify({ ticket })));
  const first = new Promise<ViewEvent | undefined>((resolve) => {
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return void stream.push(data);
      const event = JSON.parse(data.toString()) as ViewEvent;
      events.push(event);
      resolve(event);
    });
    socket.on('close', () => resolve(undefined));
  });
  socket.on('error', () => {});
  const closed = new Promise<Extract<ViewEvent, { type: 'closed' }> | undefined>((resolve) => {
    socket.on('close', () => {
      stream.push(null);
      resolve(events.find((event) => event.type === 'closed'));
    });
  });
  return { stream, socket, events, first, closed };
}
