import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { OwnerCount } from './owner-count.js';

/** Concurrent requests of one owner. */
const MOST_AT_ONCE = 256;

/**
 * Limits each owner's concurrent requests: further ones are refused with `rate_limited` before their
 * body is read. A WebSocket counts until it is accepted. Requests without a key are not counted.
 */
export function limitRequests(app: FastifyInstance, most = MOST_AT_ONCE): void {
  const requests = new OwnerCount(most);
  app.decorateRequest('endCount', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { owner, raw } = request;
    if (owner === null) return done();
    const release = requests.take(owner.id);
    if (release === undefined) {
      const message = `More than ${most} of your requests are being processed.`;
      const remedy = 'Try again when some have ended.';
      return done(new ApiError('rate_limited', message, { remedy }));
    }
    // A pipelined response emits no "close" when its connection ends.
    const { socket } = raw;
    const end = () => {
      socket.off('close', end);
      release();
    };
    socket.once('close', end);
    request.endCount = end;
    done();
  });
  // The last hook before the handler, which accepts it.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.ws) request.endCount?.();
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    request.endCount?.();
    done();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts the request no longer as one that is being processed. */
    endCount: (() => void) | null;
  }
}
