import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  FastifyServerOptions,
} from 'fastify';
import { LogLimit } from '../limits/log-limit.js';

/**
 * Logs every request with its id when the answer has been sent, and every WebSocket with status 101
 * when it has closed. Logs no client input: the route instead of the path.
 * Lines of requests without a key are limited; the next one has the number `omitted`.
 */
export function logRequests(app: FastifyInstance): void {
  const withoutKey = new LogLimit();
  const line = (request: FastifyRequest, status: number, ms: number) => {
    const allowed = request.owner === null ? withoutKey.take() : { omitted: 0 };
    if (allowed === undefined) return;
    const route = request.routeOptions.url ?? 'unknown';
    const took = Math.round(ms * 10) / 10;
    const omitted = allowed.omitted > 0 ? { omitted: allowed.omitted } : {};
    const { id, method } = request;
    app.log.info({ id, method, route, status, ms: took, ...omitted }, 'request');
  };
  app.addHook('onResponse', (request, reply, done) => {
    line(request, reply.statusCode, reply.elapsedTime);
    done();
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
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.ws) request.raw.socket.once('close', opened(request));
    done();
  });
}

const METHODS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent', 'child'] as const;

/**
 * The logger of one request, which adds the request's id to each line. Made on first use: most requests
 * write no line but the one about the request itself.
 */
class RequestLogger {
  readonly #make: () => FastifyBaseLogger;
  #own: FastifyBaseLogger | undefined;

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make;
  }

  get own(): FastifyBaseLogger {
    this.#own ??= this.#make();
    return this.#own;
  }

  get level(): string {
    return this.own.level;
  }

  set level(level: string) {
    this.own.level = level;
  }
}

for (const method of METHODS) {
  Object.defineProperty(RequestLogger.prototype, method, {
    value(this: RequestLogger, ...line: unknown[]): unknown {
      return Reflect.apply(this.own[method], this.own, line);
    },
  });
}

/** Fastify's factory of the logger of each request. */
export const requestLogger: NonNullable<FastifyServerOptions['childLoggerFactory']> = (
  logger,
  bindings,
  options,
) => new RequestLogger(() => logger.child(bindings, options)) as unknown as FastifyBaseLogger;
