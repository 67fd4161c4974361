import type { FastifyRequest } from 'fastify';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ComputerRecord } from '../../fleet/store/records.js';
import { auditRefusal, type Request } from '../audit-requests.js';
import { type Params, resolveComputer } from '../requests.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation in the audit log, if the key's rights do not allow it. */
    readonly operation?: Request['name'];
  }
}

interface Asked {
  readonly owner: Owner;
  readonly name: Request['name'] | undefined;
  readonly input?: unknown;
}

/** Writes into the audit log that a request was refused before it began. */
export function recordRefusal(
  fleet: Fleet,
  request: FastifyRequest,
  { owner, name, input = {} }: Asked,
  error: unknown,
): void {
  const params = request.params as Params;
  const computer = computerOf(fleet, request, params);
  if (name) auditRefusal(fleet, { name, owner, computer, input, params }, error);
}

/** Refuses input to a computer that another has control of; the holder shows a sign of life. */
export function checkControl(
  fleet: Fleet,
  request: FastifyRequest,
  asked: Asked,
  { id }: Pick<ComputerRecord, 'id'>,
): void {
  try {
    fleet.control.check(id, asked.owner);
  } catch (error) {
    recordRefusal(fleet, request, asked, error);
    throw error;
  }
}

/** The computer that the path names, if there is one that the key reaches. */
function computerOf(fleet: Fleet, request: FastifyRequest, { id, computer }: Params) {
  if (id === undefined && computer === undefined) return undefined;
  try {
    return resolveComputer(fleet, request);
  } catch {
    return undefined;
  }
}
