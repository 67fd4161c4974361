import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationName, StreamName } from '../../contract/operations.js';
import { endpoints } from '../../contract/operations.js';
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

/** Warns of budgets that are nearly used up, and refuses another action of a key that has none left. */
export function checkBudget(
  { budgets }: Fleet,
  { method, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  key: CachedKey,
): void {
  const warning = budgets.warning(key);
  if (warning !== undefined) reply.header(BUDGET_HEADER, warning);
  const name = routeOptions.config.operation;
  if (name === undefined || endpoints[name].audit === undefined) return;
  if (method !== 'DELETE' && !ALWAYS.includes(name)) budgets.refuse(key.id, 'actions');
}
