import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { access } from '../../contract/operations.js';
import { ImageName } from '../../contract/primitives.js';
import { type BuildLine, BuildQuery } from '../../contract/resources/images.js';
import { routes } from '../../contract/routes.js';
import { publicMessage } from '../../fleet/errors/public-message.js';
import { remedyOf } from '../../fleet/errors/remedies.js';
import type { Fleet } from '../../fleet/fleet.js';
import { cut } from '../../lib/text/printable.js';
import { audited } from '../audit-requests.js';
import { MOST_MESSAGE, sendError, toApiError } from '../http/errors.js';
import { validateExactly } from '../http/input/read-input.js';
import { logOf } from '../http/log.js';
import { StallDetector } from '../http/stall-detector.js';
import { sendStream } from '../http/streaming.js';
import { ByteStream, departure, ownerOf, type Params } from '../requests.js';
import { paced, sendEarly } from './file-transfer.js';

const TYPE = 'application/x-ndjson; charset=utf-8';
/** Proxies end connections without a byte for a minute. */
const SILENT_MS = 15_000;
/** Bytes of progress that wait for a client that reads slowly; more is dropped. */
const MOST_WAITING = 4 * 1024 * 1024;
const SECRET_HEADER = 'x-vc-build-secret';

/** `POST /images/NAME/build`: builds an image of the context in the body, and answers the progress. */
export async function addImageBuild(app: FastifyInstance, fleet: Fleet): Promise<void> {
  await app.register(async (scope) => {
    // The body is the context, which the builder reads.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.setErrorHandler((error: Error, request, reply) =>
      request.raw.complete ? sendError(error, request, reply) : sendEarly(error, request, reply),
    );
    const config = { transfers: true, access: access.buildImage, operation: 'buildImage' } as const;
    for (const url of routes.buildImage.paths) {
      scope.post(url, { config }, (request, reply) => build(fleet, request, reply));
    }
  });
}

async function build(
  fleet: Fleet,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const owner = ownerOf(request);
  const params = request.params as Params;
  const query = validateExactly(BuildQuery, request.query, 'query');
  const name = nameOf(params);
  const secrets = readSecrets(request);
  const left = departure(request);
  const stall = new StallDetector();
  const signal = AbortSignal.any([left, stall.signal]);
  const progress = new Progress(request, reply);
  // Values of build arguments are not part of it.
  const { arg = [], dockerfile, target, no_cache, engine, shared } = query;
  const input = { dockerfile, target, no_cache, engine, shared };
  try {
    const subject = { name: 'buildImage', owner, computer: undefined, input, params } as const;
    const image = await audited(fleet, { ...subject, call: { signal: left } }, () =>
      fleet.builds.build(owner, {
        ...{ name, dockerfile, target, engine, secrets, signal, shared },
        context: received(request, stall, signal),
        args: Object.fromEntries(arg.map(splitArgument)),
        noCache: no_cache,
        onEvent: (event) => progress.line(event),
      }),
    );
    progress.end({ type: 'image', image });
  } catch (error) {
    const reason = signal.aborted ? (signal.reason as Error) : (error as Error);
    if (!progress.isBegun) throw reason;
    progress.fail(reason);
  } finally {
    stall.stop();
    request.departureEnded?.();
  }
  return reply;
}

/** The context; the client's speed matters as long as it sends. */
async function* received(
  request: FastifyRequest,
  stall: StallDetector,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* paced(request.raw, stall, signal);
  } finally {
    stall.stop();
    // The build takes no place among the owner's requests; the running computers are limited.
    request.endCount?.();
  }
}

/** The answer, which begins with the first line. */
class Progress {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #lines = new PassThrough();
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
    // Its client has left.
    this.#lines.on('error', () => undefined);
  }

  get isBegun(): boolean {
    return this.#timer !== undefined;
  }

  line(line: BuildLine): void {
    if (this.#timer === undefined) {
      sendStream(this.#reply, new ByteStream(this.#lines, TYPE));
      this.#timer = setInterval(() => this.#lines.write('\n'), SILENT_MS);
    }
    this.#timer.refresh();
    if (line.type === 'output' && this.#lines.writableLength > MOST_WAITING) this.#dropped += 1;
    else if (!this.#lines.destroyed) this.#lines.write(`${JSON.stringify(line)}\n`);
  }

  end(line: BuildLine): void {
    if (this.#dropped > 0) {
      const message = `${this.#dropped} lines of output were left out: they were read too slowly`;
      this.line({ type: 'note', line: 1, message });
    }
    this.line(line);
    clearInterval(this.#timer);
    this.#lines.end();
  }

  fail(error: Error): void {
    const answer = toApiError(error);
    if (answer.code === 'internal') logOf(this.#request).error({ err: error }, 'failed');
    const { code } = answer;
    const remedy = remedyOf(answer, { requestId: this.#request.id }) ?? null;
    this.end({ type: 'error', error: cut(publicMessage(answer), MOST_MESSAGE), code, remedy });
  }
}

function nameOf({ image = '' }: Params): string {
  const name = ImageName.safeParse(image);
  if (name.success) return name.data;
  throw new ApiError('invalid_request', `image: ${name.error.issues[0]?.message ?? ''}.`);
}

function splitArgument(argument: string): [string, string] {
  const end = argument.indexOf('=');
  return [argument.slice(0, end), argument.slice(end + 1)];
}

/** `ID=BASE64`, separated by commas; Node.js joins repeated headers so. Errors show none of it. */
function readSecrets({ headers }: FastifyRequest): Map<string, Buffer> {
  const given = headers[SECRET_HEADER];
  const secrets = new Map<string, Buffer>();
  if (given === undefined) return secrets;
  for (const part of String(given).split(',')) {
    const [, id, value] = /^([\w.-]{1,128})=([A-Za-z0-9+/_-]*={0,2})$/.exec(part.trim()) ?? [];
    if (id === undefined || value === undefined) {
      throw new ApiError('invalid_request', 'X-VC-Build-Secret: must be ID=BASE64, with commas.');
    }
    secrets.set(id, Buffer.from(value, 'base64'));
  }
  return secrets;
}
