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

/** A handler for each operation that needs a key; the open ones are added by the app. */
export type Handlers = { [N in Exclude<OperationName, 'health'>]: Handler<N> };
