import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';
import { type ViewEvent, ViewOpening } from '../../contract/sockets/view.js';
import type { ViewGrant } from '../../fleet/accounts/tickets.js';
import { publicMessage } from '../../fleet/errors/public-message.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ComputerRecord } from '../../fleet/store/records.js';
import { auditConnection, type ConnectionAudit } from '../audit-requests.js';
import { logOf } from '../http/log.js';
import type { SocketServices } from '../websocket/computer-socket.js';
import { startHeartbeat } from '../websocket/heartbeat.js';
import { closeOnRevocation } from '../websocket/key-revocation.js';
import { openingMessage } from './opening-message.js';

/** Close code after a `closed` message. */
const CLOSED = 4000;

/** A socket of a page of the live view. */
interface TicketSocket extends Pick<ViewGrant, 'owner' | 'mode'>, Pick<ConnectionAudit, 'opened'> {
  readonly socket: WebSocket;
  readonly fleet: Fleet;
  readonly record: ComputerRecord;
  /** Aborted when the viewer goes away. */
  readonly left: AbortController;
}

/**
 * Adds a WebSocket whose key is the ticket in its first message. The socket ends with what `serve`
 * throws, in a message `closed`.
 */
export function addTicketSocket(
  app: FastifyInstance,
  path: string,
  services: SocketServices,
  serve: (view: TicketSocket) => Promise<void>,
): void {
  const options = { websocket: true, config: { open: true, socket: true } } as const;
  app.get(path, options, (socket, request) => {
    serveTicket(socket, request, services, serve).catch((error: unknown) => {
      logOf(request).warn({ err: error }, 'view socket failed');
      socket.terminate();
    });
  });
}

async function serveTicket(
  socket: WebSocket,
  request: FastifyRequest,
  { fleet, limit, connections }: SocketServices,
  serve: (view: TicketSocket) => Promise<void>,
): Promise<void> {
  const { id = '' } = request.params as Record<string, string>;
  const left = new AbortController();
  const leave = () => left.abort(new ApiError('request_timeout', 'The viewer disconnected.'));
  socket.on('close', leave);
  socket.on('error', leave);
  startHeartbeat(socket, 'answers');
  try {
    const opening = ViewOpening.safeParse(await openingMessage(socket, request.raw.socket));
    const { owner, mode } = fleet.tickets.redeem(opening.data?.ticket ?? '', id);
    const record = fleet.computers.find(owner, { id });
    connections.count(request.raw.socket, owner.id);
    limit.count(owner.id, request.raw.socket);
    closeOnRevocation(socket, request, fleet.apiKeys, owner);
    const audit = auditConnection(fleet, { owner, computerId: id, name: 'viewOpened' });
    const opened = (detail: { readonly mode: string }) => {
      audit.opened(detail);
      logOf(request).info({ computer: id, ...detail }, 'view opened');
    };
    await serve({ socket, fleet, record, owner, mode, left, opened });
  } catch (error) {
    sendClosed(socket, error);
  }
  socket.close(CLOSED);
}

export function send(socket: WebSocket, event: ViewEvent): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
}

function sendClosed(socket: WebSocket, error: unknown): void {
  const known = error instanceof ApiError;
  const reason = known ? publicMessage(error) : 'The service failed; its log has more.';
  send(socket, { type: 'closed', code: known ? error.code : 'internal', reason });
}
