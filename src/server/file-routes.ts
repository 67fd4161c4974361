import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FILE_PATHS, FileWritten, ReadFileQuery, WriteFileQuery } from '../contract/files.js';
import type { Fleet } from '../fleet/fleet.js';
import { abortable } from '../fleet/time.js';
import { recorded } from './deeds.js';
import { sendError } from './errors.js';
import { octal } from './handlers/files.js';
import { Pace } from './pace.js';
import { computerOf, departure, ownerOf, type Params } from './requests.js';
import { validate } from './validation.js';

/** How long a client that gets an error in the middle of its upload may take to notice. */
const NOTICE_MS = 5_000;

/** `GET` and `PUT C/files?path=`: a file's bytes, streamed. */
export async function addFileRoutes(app: FastifyInstance, fleet: Fleet): Promise<void> {
  await app.register(async (scope) => {
    // The body is the file, whatever its type says: nothing reads it before the handler does.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.setErrorHandler((error: Error, request, reply) =>
      request.raw.complete ? sendError(error, request, reply) : sendEarly(error, request, reply),
    );
    FILE_PATHS.forEach((url, index) => {
      const config = { transfers: true } as const;
      scope.get(url, { config, schema: documentation('readFile', index) }, (request, reply) =>
        download(fleet, request, reply),
      );
      scope.put(url, { config, schema: documentation('writeFile', index) }, (request, reply) =>
        upload(fleet, request, reply),
      );
    });
  });
}

async function download(
  fleet: Fleet,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path } = validate(ReadFileQuery, request.query, 'query');
  const owner = ownerOf(request);
  const params = request.params as Params;
  const record = computerOf(fleet, owner, params);
  const left = departure(request);
  const pace = new Pace();
  const signal = AbortSignal.any([left, pace.signal]);
  try {
    await recorded(fleet, { name: 'readFile', owner, params, input: { path } }, () =>
      fleet.control.shell(
        record,
        (shell) =>
          shell.files.read(
            path,
            async ({ stream, size, mode, mtime }) => {
              reply
                .type('application/octet-stream')
                // A guest's page must never run as one of this service's.
                .header('content-disposition', 'attachment')
                .header('last-modified', new Date(mtime * 1000).toUTCString())
                .header('x-file-mode', octal(mode));
              if (size !== undefined) reply.header('content-length', size);
              pace.start();
              // An answer that stands still is broken off.
              pace.signal.addEventListener('abort', () => reply.raw.destroy(), { once: true });
              void reply.send(Readable.from(watched(stream, pace), { objectMode: false }));
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
    pace.stop();
    request.departureEnded?.();
  }
  return reply;
}

/** A file's chunks on their way to the client. */
async function* watched(stream: Readable, pace: Pace): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      pace.waitingFor = 'client';
      yield chunk;
      pace.moved(chunk.length);
      pace.waitingFor = 'guest';
    }
  } finally {
    // The last of it may still be on its way.
    pace.waitingFor = 'client';
  }
}

async function upload(
  fleet: Fleet,
  request: FastifyRequest,
  _reply: FastifyReply,
): Promise<FileWritten> {
  const { path, mode } = validate(WriteFileQuery, request.query, 'query');
  const owner = ownerOf(request);
  const params = request.params as Params;
  const record = computerOf(fleet, owner, params);
  const left = departure(request);
  const pace = new Pace();
  const signal = AbortSignal.any([left, pace.signal]);
  try {
    const input = { path, mode };
    const written = await recorded(fleet, { name: 'writeFile', owner, params, input }, () =>
      fleet.control.shell(
        record,
        (shell) => shell.files.write(path, paced(request.raw, pace, signal), { mode, signal }),
        left,
      ),
    );
    return { success: true, ...written };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    pace.stop();
    request.departureEnded?.();
  }
}

/** The body's chunks; throws the signal's reason even while none comes. */
async function* paced(
  body: IncomingMessage,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  pace.start();
  const chunks = body.iterator({ destroyOnReturn: false });
  for (;;) {
    signal.throwIfAborted();
    pace.waitingFor = 'client';
    const next = await abortable<IteratorResult<Buffer>>(chunks.next(), signal);
    if (next.done) return;
    pace.waitingFor = 'guest';
    pace.moved(next.value.length);
    yield next.value;
  }
}

/**
 * An error to a client that still sends its body. Closing at once could lose it: the client gets
 * the whole answer first, and what it sends until it notices is thrown away.
 */
function sendEarly(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
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

function documentation(name: 'readFile' | 'writeFile', index: number) {
  const isRead = name === 'readFile';
  return {
    operationId: index === 0 ? name : `${name}${index + 1}`,
    summary: isRead ? "Get a file's bytes" : 'Write a file; the body is its bytes',
    querystring: isRead ? ReadFileQuery : WriteFileQuery,
    ...(isRead ? {} : { response: { 200: FileWritten } }),
  };
}
