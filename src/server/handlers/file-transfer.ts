import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import { type FileWritten, ReadFileQuery, WriteFileQuery } from '../../contract/files.js';
import { access } from '../../contract/operations.js';
import { routes } from '../../contract/routes.js';
import type { Fleet } from '../../fleet/fleet.js';
import { abortable, onAbort } from '../../lib/async/abort.js';
import { audited } from '../audit-requests.js';
import {
  type ByteRange,
  fileEtag,
  httpDate,
  requestedRange,
} from '../http/conditional/byte-range.js';
import { isKnown } from '../http/conditional/etag.js';
import { sendError } from '../http/errors.js';
import { validateExactly } from '../http/input/read-input.js';
import { StallDetector } from '../http/stall-detector.js';
import { departure, ownerOf, resolveComputer } from '../requests.js';
import { octal } from './files.js';

/** Bytes of a file that wait for the client, besides those of its connection. */
const WAITING = 16 * 1024;
/** Time for a client to read an error while it is still uploading. */
const NOTICE_MS = 5_000;

/** `GET` and `PUT C/files?path=`: a file's bytes, streamed. */
export async function addFileRoutes(app: FastifyInstance, fleet: Fleet): Promise<void> {
  await app.register(async (scope) => {
    // The body is the file, of any type; only the handler reads it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.setErrorHandler((error: Error, request, reply) =>
      request.raw.complete ? sendError(error, request, reply) : sendEarly(error, request, reply),
    );
    for (const url of routes.readFile.paths) {
      const transfers = true;
      const reads = { transfers, access: access.readFile, operation: 'readFile' } as const;
      const writes = { transfers, access: access.writeFile, operation: 'writeFile' } as const;
      scope.get(url, { config: reads }, (request, reply) => download(fleet, request, reply));
      scope.put(url, { config: writes }, (request, reply) => upload(fleet, request, reply));
    }
  });
}

async function download(
  fleet: Fleet,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path } = validateExactly(ReadFileQuery, request.query, 'query');
  const owner = ownerOf(request);
  const computer = resolveComputer(fleet, request);
  const left = departure(request);
  const stall = new StallDetector();
  const signal = AbortSignal.any([left, stall.signal]);
  try {
    await audited(
      fleet,
      { name: 'readFile', owner, computer, input: { path }, call: { signal: left } },
      () =>
        fleet.actions.shell(
          computer,
          (shell) =>
            shell.files.read(
              path,
              async (file) => {
                const { size, mode, mtime } = file;
                const etag = fileEtag(file);
                reply
                  .type('application/octet-stream')
                  // A file from a guest must never run as a page of this service.
                  .header('content-disposition', 'attachment')
                  .header('last-modified', httpDate(mtime))
                  .header('etag', etag)
                  .header('accept-ranges', size === undefined ? 'none' : 'bytes')
                  .header('x-file-mode', octal(mode));
                const { headers } = request;
                if (isKnown(headers['if-none-match'], etag))
                  return void (await reply.status(304).send());
                const range = requestedRange(headers, file);
                if (range === 'none') throw notSatisfiable(reply, size ?? 0);
                if (range) reply.status(206).header('content-range', contentRange(range, size));
                const length = range ? range.end - range.start : size;
                if (length !== undefined) reply.header('content-length', length);
                const stream = range ? file.part(range.start, range.end) : file.stream;
                stall.start();
                // Abort a stalled answer.
                onAbort(stall.signal, () => reply.raw.destroy());
                const given = { objectMode: false, highWaterMark: WAITING };
                void reply.send(Readable.from(watched(stream, stall), given));
                await finished(reply.raw).catch(() => undefined);
              },
              signal,
            ),
          left,
        ),
    );
  } catch (error) {
    if (reply.raw.headersSent) reply.raw.destroy();
    else throw error;
  } finally {
    stall.stop();
    request.departureEnded?.();
  }
  return reply;
}

function notSatisfiable(reply: FastifyReply, size: number): ApiError {
  for (const name of ['content-disposition', 'etag', 'last-modified', 'x-file-mode']) {
    reply.removeHeader(name);
  }
  reply.header('content-range', `bytes */${size}`);
  return new ApiError('range_not_satisfiable', `The file has only ${size} bytes.`);
}

function contentRange({ start, end }: ByteRange, size: number | undefined): string {
  return `bytes ${start}-${end - 1}/${size ?? '*'}`;
}

/** A file's chunks on their way to the client. */
async function* watched(stream: Readable, stall: StallDetector): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      stall.waitingFor = 'client';
      yield chunk;
      stall.moved(chunk.length);
      stall.waitingFor = 'guest';
    }
  } finally {
    // Its last chunk may still be in flight.
    stall.waitingFor = 'client';
  }
}

async function upload(
  fleet: Fleet,
  request: FastifyRequest,
  _reply: FastifyReply,
): Promise<FileWritten> {
  const { path, mode } = validateExactly(WriteFileQuery, request.query, 'query');
  const owner = ownerOf(request);
  const computer = resolveComputer(fleet, request);
  const left = departure(request);
  const stall = new StallDetector();
  const signal = AbortSignal.any([left, stall.signal]);
  try {
    const input = { path, mode };
    const written = await audited(
      fleet,
      { name: 'writeFile', owner, computer, input, call: { signal: left } },
      () =>
        fleet.actions.shell(
          computer,
          (shell) =>
            shell.files.write(path, paced(request.raw, stall, signal), {
              mode,
              signal,
              expectedBytes: announcedBytes(request),
            }),
          left,
        ),
    );
    return { success: true, ...written };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    stall.stop();
    request.departureEnded?.();
  }
}

/** The size that the client announces, if it does. */
function announcedBytes({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** The body's chunks; throws the signal's reason even while none comes. */
export async function* paced(
  body: IncomingMessage,
  stall: StallDetector,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  stall.start();
  const chunks = body.iterator({ destroyOnReturn: false });
  for (;;) {
    signal.throwIfAborted();
    stall.waitingFor = 'client';
    const next = await abortable<IteratorResult<Buffer>>(chunks.next(), signal);
    if (next.done) return;
    stall.waitingFor = 'guest';
    stall.moved(next.value.length);
    yield next.value;
  }
}

/**
 * Sends an error to a client that is still uploading. Closing at once could lose the answer, so the
 * rest of the upload is read and discarded until the client has the answer.
 */
export function sendEarly(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const rest = new PassThrough();
  const { raw } = request;
  const timer = setTimeout(() => rest.end(), NOTICE_MS);
  const end = () => {
    clearTimeout(timer);
    rest.end();
  };
  raw.once('end', end);
  raw.once('close', end);
  raw.once('error', end);
  raw.resume();
  return sendError(error, request, reply.header('connection', 'close'), (body) => {
    reply.header('content-length', Buffer.byteLength(body));
    rest.write(body);
    return rest;
  });
}
