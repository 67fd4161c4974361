import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';
import {
  VIEW_PATHS,
  ViewCommand,
  type ViewEvent,
  type ViewMode,
  ViewOpening,
} from '../../contract/sockets/view.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import { publicMessage } from '../../fleet/errors/public-message.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ComputerRecord } from '../../fleet/store/records.js';
import { sleep } from '../../lib/async/sleep.js';
import { textBeyond } from '../../lib/json/bounds.js';
import { parseJson } from '../../lib/json/parse.js';
import type { ViewerChannel } from '../../vnc-server/channel.js';
import { Viewer } from '../../vnc-server/viewer.js';
import { auditConnection } from '../audit-requests.js';
import { logOf } from '../http/log.js';
import type { SocketServices } from '../websocket/computer-socket.js';
import { startHeartbeat } from '../websocket/heartbeat.js';
import { closeOnRevocation } from '../websocket/key-revocation.js';
import { clipboardChannel, stateChannel } from './latest-message.js';
import { openingMessage } from './opening-message.js';

/** A command has two fields, of which one may be long. */
const BOUNDS = { levels: 2, values: 16, fields: 16, allFields: 16 } as const;

/** Takes a message with a text to type, or for the computer's clipboard. */
export function takeCommand(viewer: Viewer, message: Buffer): void {
  const text = message.toString();
  if (textBeyond(text, BOUNDS) !== undefined) return;
  const command = ViewCommand.safeParse(parseJson(text));
  if (!command.success) return;
  const { type, text: given } = command.data;
  if (type === 'text') viewer.type(given);
  else viewer.copy(given);
}

/** The view ends after this many consecutive failures of the screen. */
const MOST_FAILURES = 5;
/** Milliseconds until the next attempt, times the failures so far. */
const RETRY_MS = 150;
/** A connection that lasted this long, in milliseconds, resets the failure count. */
const LASTING_MS = 10_000;
/** Largest text message, in bytes: a text of the clipboard as JSON. */
const MOST_TEXT = 2 * 1024 * 1024;
/** Largest message of RFB, in bytes: all of it is handled at once, and viewers send a few bytes. */
const MOST_RFB = 64 * 1024;
/** Close code after a `closed` message. */
const CLOSED = 4000;

/** `GET /view/{id}/socket`: the live view, as contract/sockets/view.ts describes. The ticket is its key. */
export function addViewSocket(app: FastifyInstance, services: SocketServices): void {
  const options = { websocket: true, config: { open: true, socket: true } } as const;
  app.get(VIEW_PATHS.socket, options, (socket, request) => {
    serveView(socket, request, services).catch((error: unknown) => {
      logOf(request).warn({ err: error }, 'view socket failed');
      socket.terminate();
    });
  });
}

async function serveView(
  socket: WebSocket,
  request: FastifyRequest,
  { fleet, limit, connections }: SocketServices,
): Promise<void> {
  const { id = '' } = request.params as Record<string, string>;
  const left = new AbortController();
  const leave = () => left.abort(new ApiError('request_timeout', 'The viewer disconnected.'));
  socket.on('close', leave);
  socket.on('error', leave);
  startHeartbeat(socket, 'answers');
  try {
    const opening = ViewOpening.safeParse(await openingMessage(socket, request.raw.socket));
    const ticket = fleet.tickets.redeem(opening.data?.ticket ?? '', id);
    const record = fleet.computers.find(ticket.owner, { id });
    connections.count(request.raw.socket, ticket.owner.id);
    limit.count(ticket.owner.id, request.raw.socket);
    closeOnRevocation(socket, request, fleet.apiKeys, ticket.owner);
    const subject = { owner: ticket.owner, computerId: id, name: 'viewOpened' } as const;
    auditConnection(fleet, subject).opened({ mode: ticket.mode });
    logOf(request).info({ computer: id, mode: ticket.mode }, 'view opened');
    const channel = {
      send: (data: Buffer) => new Promise<void>((resolve) => socket.send(data, () => resolve())),
      sendClipboard: clipboardChannel(socket),
    };
    const { owner, mode } = ticket;
    await showComputer(socket, fleet, { record, owner, mode, left, channel });
  } catch (error) {
    sendClosed(socket, error);
  }
  socket.close(CLOSED);
}

interface Showing {
  readonly record: ComputerRecord;
  readonly owner: Owner;
  readonly mode: ViewMode;
  readonly left: AbortController;
  readonly channel: ViewerChannel;
}

/** Shows the computer until the viewer disconnects; throws the error that ends the view. */
async function showComputer(socket: WebSocket, fleet: Fleet, showing: Showing): Promise<void> {
  const { record, owner, mode, left, channel } = showing;
  const { signal } = left;
  const name = `${record.project_name}/${record.name}`;
  const mayControl = () => fleet.control.allows(record.id, owner);
  const viewer = new Viewer({
    mode,
    mayControl,
    name,
    channel,
    onError: (error) => left.abort(new ApiError('invalid_request', error.message)),
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (signal.aborted) return;
    const most = isBinary ? MOST_RFB : MOST_TEXT;
    if (data.length > most) {
      const message = `A message is too large; the limit is ${most} bytes.`;
      left.abort(new ApiError('payload_too_large', message));
    } else if (isBinary) viewer.receive(data);
    else if (mode === 'control' && mayControl()) takeCommand(viewer, data);
  });
  const isMine = () => fleet.control.isHeldBy(record.id, owner);
  const sendControl = stateChannel(socket, () => {
    return { type: 'control', control: fleet.control.of(record.id), is_mine: isMine() };
  });
  const tellControl = () => {
    sendControl();
    // What this viewer still holds down is not its any more.
    if (fleet.control.of(record.id) !== null && !isMine()) viewer.releaseInput();
  };
  let isReady = false;
  const forget = fleet.control.onChange((change) => {
    // Who has taken it over follows at once.
    if (change.step === 'taken_over') return;
    if (isReady && change.record.id === record.id) tellControl();
  });
  let failures = 0;
  try {
    while (!signal.aborted) {
      const began = performance.now();
      // Reopen a screen that ended, so that the view survives a restart of the computer. For a
      // stopped or deleted computer this throws, which ends the view.
      await fleet.actions
        .screen(
          record,
          async (screen, turns) => {
            if (!isReady) {
              send(socket, { type: 'ready', mode, name });
              tellControl();
            }
            isReady = true;
            await viewer.show(screen, turns, signal);
          },
          signal,
        )
        .catch((error: unknown) => {
          const isFinal = !(error instanceof ApiError) || error.status < 500;
          if (isFinal || failures >= MOST_FAILURES) throw error;
        });
      failures = performance.now() - began > LASTING_MS ? 0 : failures + 1;
      // The machine's new status is known a moment after its screen has ended.
      await sleep(RETRY_MS * failures, signal).catch(() => undefined);
      if (failures > MOST_FAILURES) {
        throw new ApiError('guest_failed', 'The screen closes repeatedly.');
      }
    }
    signal.throwIfAborted();
  } finally {
    forget();
    viewer.close();
  }
}

function send(socket: WebSocket, event: ViewEvent): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
}

function sendClosed(socket: WebSocket, error: unknown): void {
  const known = error instanceof ApiError;
  const reason = known ? publicMessage(error) : 'The service failed; its log has more.';
  send(socket, { type: 'closed', code: known ? error.code : 'internal', reason });
}
