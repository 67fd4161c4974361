import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { access } from '../../contract/access/rights.js';
import { ApiError } from '../../contract/errors.js';
import { publicMessage } from '../../fleet/errors/public-message.js';
import { remedyOf, type Subject } from '../../fleet/errors/remedies.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ComputerRecord } from '../../fleet/store/records.js';
import { auditConnection, type ConnectionAudit } from '../audit-requests.js';
import { excessOf } from '../http/body-limit.js';
import type { ConnectionLimit } from '../limits/connections.js';
import type { MemoryBudget } from '../limits/memory-budget.js';
import { ownerOf, resolveComputer } from '../requests.js';
import { startHeartbeat } from './heartbeat.js';
import { closeOnRevocation } from './key-revocation.js';
import { limitMessages, MESSAGE_LIMIT, tooLarge } from './limit-messages.js';
import type { SocketBudget, SocketShare } from './socket-budget.js';

/** Time for a refused client to read why, in milliseconds. */
const FAREWELL_MS = 1_000;
/** Largest message of a client, in bytes: the start of a process has many arguments. */
export const PAYLOAD_LIMIT = 8 * 1024 * 1024;

/** Largest text message after the first, in bytes: a signal, a size, or the end of input. */
const MOST_CONTROL = 4096;

/** Fragments of one message: each is a buffer in memory. */
const MOST_FRAGMENTS = 1024;
/** Messages queued for a slow client: each takes memory besides its bytes. */
export const MOST_UNSENT = 64;

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
  /** Counts bytes that the client sent and that wait in memory; negative when they are consumed. */
  readonly hold: (bytes: number) => void;
  readonly share: SocketShare;
}

/** What all WebSockets of the service share. */
export interface SocketServices {
  readonly fleet: Fleet;
  readonly budget: SocketBudget;
  /** Memory of live views. */
  readonly views: MemoryBudget;
  readonly connections: ConnectionLimit;
}

/**
 * Adds WebSockets of a computer at `paths`. Key, origin, computer and `check` are checked before the
 * upgrade, so that a refusal is an ordinary HTTP error. An error of `serve` is sent as the last
 * message.
 */
export function addComputerSocket(
  app: FastifyInstance,
  { fleet, budget }: SocketServices,
  paths: readonly string[],
  route: {
    readonly name: 'process' | 'tunnel';
    /** Largest first message, in bytes. */
    readonly firstMessage: number;
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
          if (!request.ws) return;
          const share = budget.open(ownerOf(request));
          request.socketShare = share;
          const { socket } = request.raw;
          if (socket.destroyed) share.close();
          else socket.once('close', share.close);
        },
      },
      (socket, request) => {
        const record = request.computer ?? resolveComputer(fleet, request);
        const left = departureOf(socket);
        startHeartbeat(socket, 'any-pong');
        const owner = ownerOf(request);
        closeOnRevocation(socket, request, fleet.apiKeys, owner);
        const refuse = (error: unknown) => {
          sendJson(socket, describe(error, { computer: record, requestId: request.id }));
          socket.close(1009);
          // Nothing more of it is read.
          socket.pause();
          setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
        };
        const share = request.socketShare ?? budget.open(owner);
        const hold = limitMessages(
          socket,
          request.raw.socket,
          share,
          { first: route.firstMessage, later: MESSAGE_LIMIT },
          refuse,
        );
        const connection = { owner, computerId: record.id, name: route.name, signal: left };
        const { ended, ...audit } = auditConnection(fleet, connection);
        route
          .serve({ socket, fleet, record, request, left, hold, share, ...audit })
          .then(() => ended())
          .catch((error: unknown) => {
            ended(error);
            if (left.aborted) return;
            if (!(error instanceof ApiError)) request.log.warn({ err: error }, 'socket failed');
            sendJson(socket, describe(error, { computer: record, requestId: request.id }));
          })
          .finally(() => socket.close(1000));
      },
    );
  }
}

function departureOf(socket: WebSocket): AbortSignal {
  const left = new AbortController();
  const leave = () => left.abort(new ApiError('request_timeout', 'The client disconnected.'));
  socket.on('close', leave);
  socket.on('error', leave);
  return left.signal;
}

/** Sends a stream's chunks, wrapped by `wrap`, no faster than the client reads. */
export async function forward(
  { socket, share }: Pick<ComputerSocket, 'socket' | 'share'>,
  stream: AsyncIterable<Buffer>,
  wrap: (chunk: Buffer) => Buffer = (chunk) => chunk,
): Promise<void> {
  let unsent = 0;
  for await (const chunk of stream) {
    if (socket.readyState !== socket.OPEN) return;
    unsent += 1;
    share.send(chunk.length);
    const sent = new Promise<void>((resolve) =>
      socket.send(wrap(chunk), () => {
        unsent -= 1;
        share.send(-chunk.length);
        resolve();
      }),
    );
    if (socket.bufferedAmount > share.highWater() || unsent >= MOST_UNSENT) await sent;
  }
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
  if (message.length > MOST_CONTROL) throw tooLarge(MOST_CONTROL);
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

declare module 'fastify' {
  interface FastifyRequest {
    socketShare: SocketShare | null;
  }
}
