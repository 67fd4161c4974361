import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { BatchAction } from '../contract/actions/batch.js';
import { ApiError } from '../contract/errors.js';
import type { Owner } from '../fleet/accounts/api-keys.js';
import type { OnCreated } from '../fleet/computers/idempotency.js';
import type { Fleet } from '../fleet/fleet.js';
import type { ComputerRecord } from '../fleet/store/records.js';
import { onAbort } from '../lib/async/abort.js';

/** Path parameters by name, percent-decoded. */
export type Params = Readonly<Record<string, string>>;

/** A request as handlers get it; body and query are validated. */
export interface Call<B, Q> {
  readonly fleet: Fleet;
  readonly owner: Owner;
  readonly params: Params;
  readonly body: B;
  readonly query: Q;
  readonly headers: IncomingHttpHeaders;
  /** Throws if the key has ended or has fewer rights meanwhile: call it after a wait, before an effect. */
  stillAllowed(): void;
  /** Called with the id of what is created, in the transaction that writes it. */
  onCreated?: OnCreated | undefined;
  /** Called with actions that the body does not have as such when they begin, for the audit log. */
  onActions?: ((actions: readonly BatchAction[]) => void) | undefined;
  /** Aborted when the client disconnects before it has its answer. */
  readonly signal: AbortSignal;
}

/** A call of an operation on one computer. */
export interface ComputerCall<B, Q> extends Call<B, Q> {
  /** As it was when the request came; it belongs to `owner`. */
  readonly computer: ComputerRecord;
}

/** An answer of bytes instead of JSON. */
export class Bytes {
  readonly data: Buffer;
  readonly type: string;

  constructor(data: Buffer, type: string) {
    this.data = data;
    this.type = type;
  }
}

/** A streamed answer; the stream is destroyed when the client disconnects. */
export class ByteStream {
  readonly data: Readable;
  readonly type: string;
  /** It has no end, so it does not count as a request that is processed. */
  readonly isEndless: boolean;

  constructor(data: Readable, type: string, { isEndless = false } = {}) {
    this.data = data;
    this.type = type;
    this.isEndless = isEndless;
  }
}

/** The owner that the request's key belongs to; set by the authentication hook. */
export function ownerOf(request: FastifyRequest): Owner {
  const { owner } = request;
  if (owner === null) throw new ApiError('unauthorized', 'This request carries no API key.');
  return owner;
}

/** Looks up the computer that the path names, by id or by project and name, for this request. */
export function resolveComputer(fleet: Fleet, request: FastifyRequest): ComputerRecord {
  const { id, project = '', computer = '' } = request.params as Params;
  const address = id === undefined ? { project, name: computer } : { id };
  request.computer = fleet.computers.find(ownerOf(request), address);
  return request.computer;
}

/** Aborts when the connection closes before the answer was written. */
export function departure(request: FastifyRequest): AbortSignal {
  return watchDeparture(request).signal;
}

/** The same for a request that may not need the signal, which takes time to make. */
export function watchDeparture(request: FastifyRequest): { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const { socket } = request.raw;
  const leave = () => controller.abort(new ApiError('request_timeout', 'The client disconnected.'));
  if (socket instanceof Socket && socket.destroyed) leave();
  else socket.once('close', leave);
  const tool = request.headers[TOOL_HEADER];
  const forget = tool === undefined ? undefined : onAbort(toolClients.get(String(tool)), leave);
  request.departureEnded = () => {
    socket.off('close', leave);
    forget?.();
  };
  return controller;
}

/** Disconnects the client of a request. That of a tool has no connection; its client's request has. */
export function disconnect({ raw: { socket } }: FastifyRequest): void {
  if (socket instanceof Socket) socket.destroy();
}

const TOOL_HEADER = 'x-vc-tool';
/** Aborted when the client of a tool leaves; by a random id. */
const toolClients = new Map<string, AbortSignal>();

/** Runs a request of a tool, with a header by which it ends when the tool's client has `left`. */
export async function requestOfTool<T>(
  left: AbortSignal,
  send: (headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const id = randomUUID();
  toolClients.set(id, left);
  try {
    return await send({ [TOOL_HEADER]: id });
  } finally {
    toolClients.delete(id);
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    owner: Owner | null;
    /** {@link ApiKeys.changes} when the owner was looked up. */
    keyChanges: number;
    /** The computer that the request is about, once it was looked up. */
    computer: ComputerRecord | null;
    departureEnded: (() => void) | null;
  }
}
