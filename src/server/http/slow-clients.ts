import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { hasBody } from './bodies.js';
import { refuseGarbage } from './errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route moves files of any size and limits slow clients itself. */
    readonly transfers?: true;
  }
}

/** Time to receive a body, in milliseconds. Node itself limits the headers. */
const BODY_MS = 30_000;
/** Time to read an answer, in milliseconds. */
const READ_MS = 60_000;

/** Disconnects clients that send their body or read their answer too slowly. */
export function disconnectSlowClients(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.transfers || !hasBody(request.raw)) return done();
    const { raw } = request;
    const timer = setTimeout(() => {
      const late = Object.assign(new Error('slow body'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      if (!raw.complete) refuseGarbage(late, raw.socket);
    }, BODY_MS);
    timer.unref();
    raw.once('end', () => clearTimeout(timer));
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // Streams have their own time limits.
    if (!request.routeOptions.config.transfers && !(payload instanceof Readable)) {
      limitReading(reply);
    }
    done(null, payload);
  });
}

/** Disconnects the client if it has not read the rest of its answer in time. */
export function limitReading({ raw }: FastifyReply): void {
  const timer = setTimeout(() => raw.destroy(), READ_MS);
  raw.once('close', () => clearTimeout(timer));
}
