import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { ApiError } from '../contract/errors.js';
import type { Fleet } from '../fleet/fleet.js';
import type { ComputerRecord } from '../fleet/store/records.js';
import { recordedOpening } from './deeds.js';
import { endWithKey } from './key-end.js';
import { dropWhenGone } from './pulse.js';
import { computerOf, ownerOf, type Params } from './requests.js';

/** Output is held back while so many bytes wait to be sent to a slow client. */
const HIGH_WATER = 1024 * 1024;
/** A client that does not answer a ping within this many milliseconds is gone. */
const BEAT_MS = 30_000;

/** A WebSocket to something in a computer. */
export interface ComputerSocket {
  readonly socket: WebSocket;
  readonly fleet: Fleet;
  readonly record: ComputerRecord;
  readonly request: FastifyRequest;
  /** Aborted when the client goes away. */
  readonly left: AbortSignal;
  /** To be called when there is what was asked for, with what the ledger may keep of it. */
  opened(input: unknown): void;
}

/**
 * WebSockets at `paths`, for those who may use the computer: key and origin are checked as for any
 * request, and the computer, with what `check` looks at, before the upgrade, so that a wrong one
 * is an ordinary error. What `serve` throws is sent as the last message.
 */
export function addComputerSocket(
  app: FastifyInstance,
  fleet: Fleet,
  paths: readonly string[],
  route: {
    readonly name: 'process' | 'tunnel';
    check?(request: FastifyRequest): void;
    serve(connection: ComputerSocket): Promise<void>;
  },
): void {
  for (const url of paths) {
    app.get(
      url,
      {
        websocket: true,
        schema: { hide: true },
        preValidation: async (request) => {
          route.check?.(request);
          computerOf(fleet, ownerOf(request), request.params as Params);
        },
      },
      (socket, request) => {
        const record = computerOf(fleet, ownerOf(request), request.params as Params);
        const left = departureOf(socket);
        dropWhenGone(socket, BEAT_MS);
        const owner = ownerOf(request);
        endWithKey(socket, fleet.access, owner);
        const opening = { owner, computerId: record.id, name: route.name };
        const { opened, failed } = recordedOpening(fleet, opening);
        route
          .serve({ socket, fleet, record, request, left, opened })
          .catch((error: unknown) => {
            failed(error);
            if (left.aborted) return;
            if (!(error instanceof ApiError)) request.log.warn({ err: error }, 'socket failed');
            sendJson(socket, describe(error));
          })
          .finally(() => socket.close(1000));
      },
    );
  }
}

function departureOf(socket: WebSocket): AbortSignal {
  const left = new AbortController();
  const leave = () => left.abort(new ApiError('request_timeout', 'The client went away.'));
  socket.on('close', leave);
  socket.on('error', leave);
  return left.signal;
}

/** Sends what a stream has, in messages as `wrap` makes them, no faster than the client reads. */
export async function forward(
  socket: WebSocket,
  stream: AsyncIterable<Buffer>,
  wrap: (chunk: Buffer) => Buffer = (chunk) => chunk,
): Promise<void> {
  for await (const chunk of stream) {
    if (socket.readyState !== socket.OPEN) return;
    const sent = new Promise<void>((resolve) => socket.send(wrap(chunk), () => resolve()));
    if (socket.bufferedAmount > HIGH_WATER) await sent;
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError('invalid_request', 'The message is not valid JSON.', { cause });
  }
}

export function sendJson(socket: WebSocket, message: unknown): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
}

function describe(error: unknown): { type: 'error'; code: string; error: string } {
  if (error instanceof ApiError) return { type: 'error', code: error.code, error: error.message };
  return { type: 'error', code: 'internal', error: 'The service failed; its log has more.' };
}
