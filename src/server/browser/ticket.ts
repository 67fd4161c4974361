import type { FastifyRequest } from 'fastify';
import { routes } from '../../contract/routes.js';
import type { Identity } from '../../fleet/accounts/api-keys.js';
import type { BrowserGrant } from '../../fleet/accounts/tickets.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ComputerRecord } from '../../fleet/store/records.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A ticket of a browser in the address replaces the key. */
    readonly ticket?: true;
  }
  interface FastifyRequest {
    /** What the request's ticket grants. */
    browserGrant: BrowserGrant | null;
  }
}

/** Path of a computer's browser with a ticket, relative to the base address. */
export function cdpPath(computerId: string, ticket: string): string {
  return `${routes.cdp.paths[0].replace(':id', computerId)}?ticket=${ticket}`;
}

/**
 * The owner of the ticket that a request without the header Authorization carries; undefined if it
 * carries none. Throws `unauthorized`.
 */
export function identityOfTicket(fleet: Fleet, request: FastifyRequest): Identity | undefined {
  const { id = '' } = request.params as Readonly<Record<string, string>>;
  const grant = redeem(fleet, request, id);
  request.browserGrant = grant;
  return grant === null ? undefined : { owner: grant.owner, key: fleet.apiKeys.own(grant.owner) };
}

/**
 * What the ticket of the request grants, which is used up. A client may send a key as well. Throws
 * `unauthorized`.
 */
export function grantOf(
  fleet: Fleet,
  request: FastifyRequest,
  { id }: Pick<ComputerRecord, 'id'>,
): BrowserGrant | null {
  return request.browserGrant ?? redeem(fleet, request, id);
}

function redeem(fleet: Fleet, request: FastifyRequest, id: string): BrowserGrant | null {
  const { ticket } = request.query as Readonly<Record<string, unknown>>;
  return ticket === undefined ? null : fleet.browserTickets.redeem(String(ticket), id);
}
