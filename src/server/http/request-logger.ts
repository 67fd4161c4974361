import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';

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
