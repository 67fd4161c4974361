import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Writes one line for every request, under its id, when its answer has been sent; for a WebSocket
 * when it has closed, with status 101. Nothing that a client wrote is in it: the route stands for
 * the path.
 */
export function logRequests(app: FastifyInstance): void {
  const line = (request: FastifyRequest, status: number, ms: number) => {
    const route = request.routeOptions.url ?? 'unknown';
    const took = Math.round(ms * 10) / 10;
    request.log.info({ method: request.method, route, status, ms: took }, 'request');
  };
  app.addHook('onResponse', async (request, reply) => {
    line(request, reply.statusCode, reply.elapsedTime);
  });
  onSocket(app, (request) => {
    const began = performance.now();
    return () => line(request, 101, performance.now() - began);
  });
}

/** Calls `opened` for every WebSocket, and what that returns when the socket has closed. */
export function onSocket(
  app: FastifyInstance,
  opened: (request: FastifyRequest) => () => void,
): void {
  // The last hook before the handler, after which no answer is sent any more.
  app.addHook('preHandler', async (request) => {
    if (request.ws) request.raw.socket.once('close', opened(request));
  });
}
