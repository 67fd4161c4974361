import { expect, test } from 'vitest';
import type { z } from 'zod';
import type * as contract from '../../src/contract/index.js';
import { type OperationName, operations } from '../../src/contract/operations.js';
import type {
  ProcessControl,
  ProcessEvent,
  ProcessStart,
} from '../../src/contract/sockets/process.js';
import type { TunnelMessage } from '../../src/contract/sockets/tunnel.js';
import type * as types from '../../src/contract/types/index.js';

/** `true` if each type can be used as the other, at any depth. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Accepted<A, B> = [A] extends [B] ? true : false;

/** Names of the operations whose generated types differ from the schemas. */
type Wrong = {
  [N in OperationName]:
    | (Same<contract.Answer<N>, types.Answer<N>> extends true ? never : `${N}: answer`)
    | (Same<contract.BodyInput<N>, types.BodyInput<N>> extends true ? never : `${N}: body`)
    // What is read from text has no exact type in the schema.
    | (Accepted<types.QueryInput<N>, contract.QueryInput<N>> extends true ? never : `${N}: query`);
}[OperationName];

type Messages = [
  Same<z.input<typeof ProcessStart>, types.ProcessStart>,
  Same<ProcessControl, types.ProcessControl>,
  Same<ProcessEvent, types.ProcessEvent>,
  Same<TunnelMessage, types.TunnelMessage>,
  Same<contract.ServiceEvent, types.ServiceEvent>,
];

test('the generated types are those of the schemas', () => {
  // The compiler checks both lines.
  const wrong: Wrong[] = [];
  const messages: Messages = [true, true, true, true, true];
  const all: Record<types.OperationName, unknown> = operations;
  expect([wrong.length, messages.length]).toEqual([0, 5]);
  const none: [Wrong] extends [never] ? true : Wrong = true;
  expect(none).toBe(true);
  expect(all).toBe(operations);
});
