import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';
import {
  VIEW_PATHS,
  ViewCommand,
  type ViewEvent,
  type ViewMode,
  ViewOpening,
} from '../../contract/view.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ComputerRecord } from '../../fleet/store/records.js';
import { sleep } from '../../fleet/time.js';
import { Viewer } from '../../view/viewer.js';
import { recordedOpening } from '../deeds.js';
import { endWithKey } from '../key-end.js';
import { dropWhenGone } from '../pulse.js';
import { openingMessage } from './opening.js';

/** A viewer that does not answer a ping within this many milliseconds is gone. */
const BEAT_MS = 20_000;
/** A screen that failed so often in a row is given up. */
const MOST_FAILURES = 5;
/** Milliseconds until the next attempt, times the failures so far. */
const RETRY_MS = 150;
/** One that was shown for so long, in milliseconds, has not failed. */
const LASTING_MS = 10_000;
/** Why a socket closes, as its code: the page has been told in words. */
const CLOSED = 4000;

/** `GET /view/{id}/socket`: the live view, as contract/view.ts describes. The ticket is its key. */
export function addViewSocket(app: FastifyInstance, fleet: Fleet): void {
  app.get(
    VIEW_PATHS.socket,
    { websocket: true, schema: { hide: true }, config: { open: true } },
    (socket, request) => {
      serveView(socket, request, fleet).catch((error: unknown) => {
        request.log.warn({ err: error }, 'view socket failed');
        socket.terminate();
      });
    },
  );
}

async function serveView(socket: WebSocket, request: FastifyRequest, fleet: Fleet): Promise<void> {
  const { id = '' } = request.params as Record<string, string>;
  const left = new AbortController();
  const leave = () => left.abort(new ApiError('request_timeout', 'The viewer went away.'));
  socket.on('close', leave);
  socket.on('error', leave);
  dropWhenGone(socket, BEAT_MS);
  try {
    const opening = ViewOpening.safeParse(await openingMessage(socket, request.raw.socket));
    const ticket = fleet.tickets.redeem(opening.data?.ticket ?? '', id);
    const record = fleet.computers.find(ticket.owner, { id });
    endWithKey(socket, fleet.access, ticket.owner);
    const deed = { owner: ticket.owner, computerId: id, name: 'viewOpened' } as const;
    recordedOpening(fleet, deed).opened({ mode: ticket.mode });
    request.log.info({ computer: id, mode: ticket.mode }, 'view opened');
    await showComputer(socket, fleet, { record, mode: ticket.mode, left });
  } catch (error) {
    sayGoodbye(socket, error);
  }
  socket.close(CLOSED);
}

interface Showing {
  readonly record: ComputerRecord;
  readonly mode: ViewMode;
  readonly left: AbortController;
}

/** Shows the computer until the viewer leaves; throws what ends the view otherwise. */
async function showComputer(socket: WebSocket, fleet: Fleet, showing: Showing): Promise<void> {
  const { record, mode, left } = showing;
  const { signal } = left;
  const name = `${record.project_name}/${record.name}`;
  const viewer = new Viewer({
    mode,
    name,
    channel: {
      send: (data) => new Promise((resolve) => socket.send(data, () => resolve())),
      sendClipboard: (text) => send(socket, { type: 'clipboard', text }),
    },
    onError: (error) => left.abort(new ApiError('invalid_request', error.message)),
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (signal.aborted) return;
    if (isBinary) viewer.receive(data);
    else command(viewer, data);
  });
  let isReady = false;
  let failures = 0;
  try {
    while (!signal.aborted) {
      const began = Date.now();
      // A screen that ended is opened again: after a restart the view goes on. The computer that
      // was stopped or deleted is refused here, which ends the view with the reason.
      await fleet.control
        .screen(
          record,
          async (screen, turns) => {
            if (!isReady) send(socket, { type: 'ready', mode, name });
            isReady = true;
            await viewer.show(screen, turns, signal);
          },
          signal,
        )
        .catch((error: unknown) => {
          const isFinal = !(error instanceof ApiError) || error.status < 500;
          if (isFinal || failures >= MOST_FAILURES) throw error;
        });
      failures = Date.now() - began > LASTING_MS ? 0 : failures + 1;
      // What became of the machine is known a moment after its screen has ended.
      await sleep(RETRY_MS * failures, signal).catch(() => undefined);
      if (failures > MOST_FAILURES) {
        throw new ApiError('guest_failed', 'The screen ends again and again.');
      }
    }
    signal.throwIfAborted();
  } finally {
    viewer.close();
  }
}

function command(viewer: Viewer, data: Buffer): void {
  const parsed = ViewCommand.safeParse(parseJson(data));
  if (parsed.success) viewer.copy(parsed.data.text);
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}

function send(socket: WebSocket, event: ViewEvent): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event));
}

function sayGoodbye(socket: WebSocket, error: unknown): void {
  const known = error instanceof ApiError;
  const reason = known ? error.message : 'The service failed; its log has more.';
  send(socket, { type: 'closed', code: known ? error.code : 'internal', reason });
}
