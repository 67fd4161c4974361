import type { FastifyInstance } from 'fastify';
import { hasBody } from './bodies.js';
import { refuseGarbage } from './errors.js';
import { isStream } from './streaming.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route moves files of any size and watches its clients' pace itself. */
    readonly transfers?: true;
  }
}

/** A client has so long, in milliseconds, to send its body. Node itself looks after the headers. */
const BODY_MS = 30_000;
/** And so long to read its answer. */
const READ_MS = 60_000;

/** Lets go of clients that send their body, or read their answer, too slowly. */
export function dropSlowClients(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.transfers || !hasBody(request.raw)) return;
    const { raw } = request;
    const timer = setTimeout(() => {
      const late = Object.assign(new Error('slow body'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      if (!raw.complete) refuseGarbage(late, raw.socket);
    }, BODY_MS);
    const stop = () => clearTimeout(timer);
    raw.once('end', stop);
    raw.socket.once('close', stop);
    raw.once('close', () => raw.socket.off('close', stop));
  });
  app.addHook('onSend', async (request, reply, payload) => {
    // What lasts has a watch of its own.
    if (request.routeOptions.config.transfers || isStream(payload)) return payload;
    const timer = setTimeout(() => reply.raw.destroy(), READ_MS);
    reply.raw.once('close', () => clearTimeout(timer));
    return payload;
  });
}
