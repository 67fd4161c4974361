import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationName, StreamName } from '../../contract/operations.js';
import { endpoints } from '../../contract/operations.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { CachedKey } from '../../fleet/store/accounts/keys.js';

/** Response header that names the budgets of the API key of which 80 % are used. */
export const BUDGET_HEADER = 'x-budget';

/** What ends or frees something stays possible without a budget, as every DELETE does. */
const ALWAYS: readonly (OperationName | StreamName)[] = [
  'stopComputer',
  'stopProject',
  'deleteProjectByPost',
  'stopStream',
  'endJob',
  'endTrajectory',
  'releaseControl',
];

/**
 * Warns of budgets that are nearly used up, and refuses another action of a key that has none left. An
 * action is reserved until it is counted, so that requests at the same time do not use more.
 */
export function checkBudget(
  { budgets }: Fleet,
  request: FastifyRequest,
  reply: FastifyReply,
  { owner, key }: { readonly owner: Owner; readonly key: CachedKey },
): void {
  const { method, routeOptions, raw } = request;
  const warning = budgets.warning(key);
  if (warning !== undefined) reply.header(BUDGET_HEADER, warning);
  const name = routeOptions.config.operation;
  if (name === undefined || endpoints[name].audit === undefined) return;
  if (method === 'DELETE' || ALWAYS.includes(name)) return;
  const release = budgets.begin(key.id);
  request.owner = { ...owner, actionCounted: release };
  const { socket } = raw;
  const end = () => {
    socket.off('close', end);
    release();
  };
  // A WebSocket has no response that finishes, and a pipelined response no end of its connection.
  reply.raw.once('finish', end);
  socket.once('close', end);
}
