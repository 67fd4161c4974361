import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { ApiError } from '../../contract/errors.js';
import { VIEW_PATHS, ViewCommand, type ViewMode } from '../../contract/sockets/view.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ComputerRecord } from '../../fleet/store/records.js';
import { sleep } from '../../lib/async/sleep.js';
import { textBeyond } from '../../lib/json/bounds.js';
import { parseJson } from '../../lib/json/parse.js';
import type { ViewerChannel } from '../../vnc-server/channel.js';
import { Viewer } from '../../vnc-server/viewer.js';
import type { SocketServices } from '../websocket/computer-socket.js';
import { clipboardChannel, stateChannel } from './latest-message.js';
import { addTicketSocket, send } from './ticket-socket.js';

/** A command has two fields, of which one may be long. */
const BOUNDS = { levels: 2, values: 16, fields: 16, allFields: 16 } as const;

/** The command in a text message of the page; undefined if it is none. */
export function commandOf(message: Buffer): ViewCommand | undefined {
  const text = message.toString();
  if (textBeyond(text, BOUNDS) !== undefined) return undefined;
  return ViewCommand.safeParse(parseJson(text)).data;
}

/** Takes a text to type, or for the computer's clipboard. */
export function takeCommand(viewer: Viewer, command: ViewCommand): void {
  if (command.type === 'text') viewer.type(command.text);
  else if (command.type === 'clipboard') viewer.copy(command.text);
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

/** `GET /view/{id}/socket`: the live view, as contract/sockets/view.ts describes. */
export function addViewSocket(app: FastifyInstance, services: SocketServices): void {
  addTicketSocket(app, VIEW_PATHS.socket, services, async (view) => {
    const { socket, fleet, mode } = view;
    view.opened({ mode });
    const channel = {
      send: (data: Buffer) => new Promise<void>((resolve) => socket.send(data, () => resolve())),
      sendClipboard: clipboardChannel(socket),
    };
    await showComputer(socket, fleet, { ...view, channel });
  });
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
    else {
      const command = commandOf(data);
      if (command?.type === 'sound') sendSoundTicket();
      else if (command && mode === 'control' && mayControl()) takeCommand(viewer, command);
    }
  });
  const sendSoundTicket = () => {
    const { text } = fleet.tickets.issue({ computerId: record.id, owner, mode: 'view' });
    send(socket, { type: 'sound', ticket: text });
  };
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
  const used = fleet.screenUses.add(record, { kind: 'view', owner });
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
    used();
    viewer.close();
  }
}
