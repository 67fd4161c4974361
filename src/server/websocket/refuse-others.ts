import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../contract/errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is a WebSocket, which limits what its client sends. */
    readonly socket?: true;
  }
}

/**
 * Refuses upgrades of all other routes. The plugin would accept and then close them: until the client
 * agrees to that, each takes a connection and a whole message in memory, which nobody counts.
 */
export function refuseOtherSockets(app: FastifyInstance): void {
  let isStopping = false;
  app.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  app.addHook('onRequest', ({ ws, is404, raw, routeOptions }, _reply, done) => {
    // Nothing would close one that opens now.
    if (ws && isStopping) raw.socket.destroy();
    if (!ws || is404 || routeOptions.config.socket) return done();
    const message = 'This path does not accept WebSockets.';
    done(
      new ApiError('invalid_request', message, {
        remedy: 'Send the request without the header Upgrade.',
      }),
    );
  });
}
