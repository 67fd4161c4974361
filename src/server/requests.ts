import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../contract/errors.js';
import type { Owner } from '../fleet/access.js';
import type { Fleet } from '../fleet/fleet.js';
import type { ComputerRecord } from '../fleet/store/records.js';

/** Path parameters by name, percent-decoded. */
export type Params = Readonly<Record<string, string>>;

/** What a handler works with; body and query have been validated. */
export interface Call<B, Q> {
  readonly fleet: Fleet;
  readonly owner: Owner;
  readonly params: Params;
  readonly body: B;
  readonly query: Q;
  /** Media type that the client prefers, if it names one. */
  readonly accept: string | undefined;
  /** Aborted when the client goes away before it has its answer. */
  readonly signal: AbortSignal;
}

/** Bytes that are the answer themselves, instead of JSON. */
export class Bytes {
  readonly data: Buffer;
  readonly type: string;

  constructor(data: Buffer, type: string) {
    this.data = data;
    this.type = type;
  }
}

/** Bytes that are sent as they come; the stream is destroyed when the client leaves. */
export class ByteStream {
  readonly data: Readable;
  readonly type: string;

  constructor(data: Readable, type: string) {
    this.data = data;
    this.type = type;
  }
}

/** The owner that the request's key belongs to; set by the authentication hook. */
export function ownerOf(request: FastifyRequest): Owner {
  const { owner } = request;
  if (owner === null) throw new ApiError('unauthorized', 'This request carries no API key.');
  return owner;
}

/** The computer that a path names, by id or by project and name. */
export function computerOf(fleet: Fleet, owner: Owner, params: Params): ComputerRecord {
  const { id, project, computer } = params;
  if (id !== undefined) return fleet.computers.find(owner, { id });
  return fleet.computers.find(owner, { project: project ?? '', name: computer ?? '' });
}

/** Aborts when the connection closes before the answer was written. */
export function departure(request: FastifyRequest): AbortSignal {
  const controller = new AbortController();
  const { socket } = request.raw;
  const onClose = () => controller.abort(new ApiError('request_timeout', 'The client went away.'));
  socket.once('close', onClose);
  request.departureEnded = () => socket.off('close', onClose);
  return controller.signal;
}

declare module 'fastify' {
  interface FastifyRequest {
    owner: Owner | null;
    departureEnded: (() => void) | null;
  }
}
