import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { Fleet } from '../../fleet/fleet.js';
import { SampledBucket } from '../../lib/async/token-bucket.js';

/** Lines of requests without a key, at once and per second after that. */
const WITHOUT_KEY = { burst: 60, perSecond: 1 };

/**
 * Logs every request with its id when the answer has been sent, and every WebSocket with status 101
 * when it has closed. Logs no client input: the route instead of the path.
 * Lines of requests without a key are limited; the next one has the number `omitted`. Counts the bytes
 * of each connection for the owner of the request that has caused them.
 */
export function logRequests(app: FastifyInstance, fleet: Fleet): void {
  const counted = new WeakMap<Socket, number>();
  const countBytes = ({ owner, computer, raw: { socket } }: FastifyRequest) => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (owner !== null) {
      const before = counted.get(socket) ?? 0;
      fleet.usageLog.bytes(owner, computer?.project_id ?? owner.projectId, bytes - before);
    }
    counted.set(socket, bytes);
  };
  const withoutKey = new SampledBucket(WITHOUT_KEY.burst, WITHOUT_KEY.perSecond);
  const line = (request: FastifyRequest, status: number, ms: number) => {
    const omitted = request.owner === null ? withoutKey.admit() : 0;
    if (omitted === undefined) return;
    const route = request.routeOptions.url ?? 'unknown';
    const took = Math.round(ms * 10) / 10;
    const { id, method } = request;
    const fields = { id, method, route, status, ms: took, ...(omitted > 0 && { omitted }) };
    app.log.info(fields, 'request');
  };
  app.addHook('onResponse', (request, reply, done) => {
    line(request, reply.statusCode, reply.elapsedTime);
    countBytes(request);
    done();
  });
  onSocket(app, (request) => {
    const began = performance.now();
    return () => {
      line(request, 101, performance.now() - began);
      countBytes(request);
    };
  });
}

/** Calls `opened` for every WebSocket, and what that returns when the socket has closed. */
export function onSocket(
  app: FastifyInstance,
  opened: (request: FastifyRequest) => () => void,
): void {
  // The last hook before the handler, after which no answer is sent any more.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.ws) request.raw.socket.once('close', opened(request));
    done();
  });
}

/**
 * A logger that adds the request's id to each line. Fastify would make one for every request, of which
 * most write no line but the one about the request itself.
 */
export function logOf({ id, server }: FastifyRequest): FastifyBaseLogger {
  return server.log.child({ id });
}
