import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';
import { access } from '../../contract/operations.js';
import { publicMessage } from '../../fleet/errors/public-message.js';
import { remedyOf, type Subject } from '../../fleet/errors/remedies.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ComputerRecord } from '../../fleet/store/records.js';
import { auditConnection, type ConnectionAudit } from '../audit-requests.js';
import { excessOf } from '../http/bodies.js';
import { type Connections, OwnerCount } from '../http/limits.js';
import { logOf } from '../http/log.js';
import { ownerOf, resolveComputer } from '../requests.js';
import { startHeartbeat } from './heartbeat.js';
import { closeOnRevocation } from './key-revocation.js';

/** WebSockets of one owner. */
const MOST_SOCKETS = 512;
/** Largest message of a client, in bytes: the start of a process has many arguments. */
const PAYLOAD_LIMIT = 8 * 1024 * 1024;

/** Largest text message after the first, in bytes: a signal, a size, or the end of input. */
const MOST_CONTROL = 4096;

/** Fragments of one message: each is a buffer in memory. */
const MOST_FRAGMENTS = 1024;
/** Messages queued for a slow client: each takes memory besides its bytes. */
export const MOST_UNSENT = 64;
/** Bytes queued for a slow client above which nothing more is read for it. */
const HIGH_WATER = 1024 * 1024;
/** Bytes of a client's messages that wait to be written, above which it is paused. */
const MOST_WAITING = 256 * 1024;

/** Options of the WebSocket server, which by default also bounds unsent answers to pings. */
export const WEBSOCKET_LIMITS = {
  maxPayload: PAYLOAD_LIMIT,
  maxFragments: MOST_FRAGMENTS,
  /** Milliseconds for a client's answer to a close. The service does not stop before. */
  closeTimeout: 2_000,
};

/** A WebSocket to something in a computer. */
export interface ComputerSocket extends Omit<ConnectionAudit, 'ended'> {
  readonly socket: WebSocket;
  readonly fleet: Fleet;
  readonly record: ComputerRecord;
  readonly request: FastifyRequest;
  /** Aborted when the client goes away. */
  readonly left: AbortSignal;
  /** Sends the error of a message, and closes the socket. */
  refuse(error: unknown): void;
}

/** What all WebSockets of the service share. */
export interface SocketServices {
  readonly fleet: Fleet;
  readonly connections: Connections;
  readonly limit: SocketLimit;
}

/** Limits the WebSockets of each owner. */
export class SocketLimit {
  readonly #sockets: OwnerCount;
  readonly #what: string;

  /** `what` completes "too many open connections" in the error. */
  constructor(most = MOST_SOCKETS, what = '') {
    this.#sockets = new OwnerCount(most);
    this.#what = `${what}; the limit is ${most}`;
  }

  /** Counts a socket until its connection closes. Throws `rate_limited` at the limit. */
  count(ownerId: string, connection: Socket): void {
    const release = this.#sockets.take(ownerId);
    if (release === undefined) {
      throw new ApiError('rate_limited', `You have too many open connections${this.#what}.`, {
        remedy: 'Close processes, tunnels, live views or pages of the dashboard first.',
      });
    }
    if (connection.destroyed) release();
    else connection.once('close', release);
  }
}

/**
 * Adds WebSockets of a computer at `paths`. Key, origin, computer and `check` are checked before the
 * upgrade, so that a refusal is an ordinary HTTP error. An error of `serve` is sent as the last
 * message.
 */
export function addComputerSocket(
  app: FastifyInstance,
  { fleet, limit }: SocketServices,
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
        config: { socket: true, access: access[route.name], operation: route.name },
        preValidation: async (request) => {
          route.check?.(request);
          resolveComputer(fleet, request);
          if (request.ws) limit.count(ownerOf(request).id, request.raw.socket);
        },
      },
      (socket, request) => {
        const record = request.computer ?? resolveComputer(fleet, request);
        const left = departureOf(socket);
        startHeartbeat(socket, 'any-pong');
        const owner = ownerOf(request);
        closeOnRevocation(socket, request, fleet.apiKeys, owner);
        const sendError = (error: unknown) =>
          sendJson(socket, describe(error, { computer: record, requestId: request.id }));
        const refuse = (error: unknown) => {
          sendError(error);
          socket.close(1007);
        };
        const connection = { owner, computerId: record.id, name: route.name, signal: left };
        const { ended, ...audit } = auditConnection(fleet, connection);
        route
          .serve({ socket, fleet, record, request, left, refuse, ...audit })
          .then(() => ended())
          .catch((error: unknown) => {
            ended(error);
            if (left.aborted) return;
            if (!(error instanceof ApiError)) logOf(request).warn({ err: error }, 'socket failed');
            sendError(error);
          })
          .finally(() => socket.close(1000));
      },
    );
  }
}

/** Aborted when the client has left. */
export function departureOf(socket: WebSocket): AbortSignal {
  const left = new AbortController();
  const leave = () => left.abort(new ApiError('request_timeout', 'The client disconnected.'));
  socket.on('close', leave);
  socket.on('error', leave);
  return left.signal;
}

/** Sends a stream's chunks, wrapped by `wrap`, no faster than the client reads. */
export async function forward(
  socket: WebSocket,
  stream: AsyncIterable<Buffer>,
  wrap: (chunk: Buffer) => Buffer = (chunk) => chunk,
): Promise<void> {
  let unsent = 0;
  for await (const chunk of stream) {
    if (socket.readyState !== socket.OPEN) return;
    unsent += 1;
    const sent = new Promise<void>((resolve) =>
      socket.send(wrap(chunk), () => {
        unsent -= 1;
        resolve();
      }),
    );
    if (socket.bufferedAmount > HIGH_WATER || unsent >= MOST_UNSENT) await sent;
  }
}

/** Writes a client's messages to a stream, and pauses the client while much of them waits. */
export function writeFrom(socket: WebSocket, target: Writable): (data: Buffer) => void {
  return (data) => {
    target.write(data, () => {
      if (socket.isPaused && target.writableLength <= MOST_WAITING) socket.resume();
    });
    if (target.writableLength > MOST_WAITING) socket.pause();
  };
}

/** Throws ApiError `invalid_request` for a message that is not JSON, or beyond the bounds. */
export function parseJson(text: string): unknown {
  const excess = excessOf(text, 'message');
  if (excess !== undefined) throw excess;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError('invalid_request', 'The message is not valid JSON.', { cause });
  }
}

/** A text message after the first as JSON; throws ApiError as {@link parseJson} does. */
export function parseControl(message: Buffer): unknown {
  if (message.length > MOST_CONTROL) {
    throw new ApiError('payload_too_large', `A message may have ${MOST_CONTROL} bytes.`);
  }
  return parseJson(message.toString());
}

export function sendJson(socket: WebSocket, message: unknown): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
}

function describe(error: unknown, subject: Subject) {
  const known = error instanceof ApiError ? error : new ApiError('internal', 'The service failed.');
  const { code } = known;
  const remedy = remedyOf(known, subject);
  return {
    type: 'error',
    code,
    error: publicMessage(known),
    ...(remedy === undefined ? {} : { remedy }),
  };
}
