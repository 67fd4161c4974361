import type { Answer, Body, ComputerOperation, Query } from '../../contract/operations.js';
import type { OperationName } from '../../contract/routes.js';
import type { Tagged } from '../http/conditional/etag.js';
import type { ByteStream, Bytes, Call, ComputerCall } from '../requests.js';

type CallOf<N extends OperationName> = N extends ComputerOperation
  ? ComputerCall<Body<N>, Query<N>>
  : Call<Body<N>, Query<N>>;

type Answered<N extends OperationName> = Answer<N> | Bytes | ByteStream | Tagged;

export type Handler<N extends OperationName> = (
  call: CallOf<N>,
) => Answered<N> | Promise<Answered<N>>;

/** Operations that have routes of their own: those without a key, and those that set cookies. */
export const OWN_ROUTES = ['health', 'createSession', 'endSession'] as const;
export type RoutedOperation = Exclude<OperationName, (typeof OWN_ROUTES)[number]>;

/** A handler for each other operation. */
export type Handlers = { [N in RoutedOperation]: Handler<N> };
