import type { Endpoint, Operation } from './operations/operation.js';
import { endpoints, type OperationName, type StreamName } from './operations.js';

/** What a client needs to know of an operation. */
export type Route = Pick<Endpoint, 'method' | 'paths'> &
  Pick<Operation, 'idempotent' | 'maxSeconds'>;

/*
 * Loading the schemas takes a client long, so the builds have the values of this file instead of its
 * code (scripts/contract.js).
 */

export const routes = Object.fromEntries(
  Object.entries(endpoints).map(([name, { method, paths, idempotent, maxSeconds }]) => [
    name,
    { method, paths, idempotent, maxSeconds },
  ]),
) as Readonly<Record<OperationName | StreamName, Route>>;

/** The `vc` commands that the audit log shows, by operation. */
export const auditCommands = Object.fromEntries(
  Object.entries(endpoints).map(([name, { audit }]) => [name, audit]),
) as Readonly<Record<OperationName | StreamName, string | undefined>>;

export type { OperationName, StreamName };
