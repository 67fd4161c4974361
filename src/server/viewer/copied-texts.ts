import type { WebSocket } from 'ws';
import { ViewCommand } from '../../contract/sockets/view.js';
import type { LongCaller } from '../../lib/async/next-turn.js';
import { Queue } from '../../lib/async/queue.js';
import { textBeyond } from '../../lib/json/bounds.js';
import { parseJson } from '../../lib/json/parse.js';
import type { Viewer } from '../../vnc-server/viewer.js';
import { fitsTurn, ownersTurn } from '../http/body-limit.js';

/** A command has two fields, of which one may be long. */
const BOUNDS = { levels: 2, values: 16, fields: 16, allFields: 16 } as const;

interface Options {
  readonly socket: WebSocket;
  readonly caller: LongCaller;
  /** Whether nobody else has control. */
  readonly mayControl: () => boolean;
  /** Aborted when the view ends. */
  readonly signal: AbortSignal;
  /** Counts bytes that wait in memory; negative when they are consumed. */
  readonly hold: (bytes: number) => void;
}

/**
 * Takes the messages with texts for the computer's clipboard, in order. One that is too long for this
 * turn of the event loop waits for another, and the client meanwhile.
 */
export function copiedTexts(
  viewer: Viewer,
  { socket, caller, mayControl, signal, hold }: Options,
): (message: Buffer) => void {
  const waiting = new Queue();
  return (message) => {
    if (waiting.length === 0 && fitsTurn(message.length)) return take(viewer, message);
    hold(message.length);
    socket.pause();
    const turn = async () => {
      await ownersTurn(caller, signal);
      // Another may have taken it meanwhile.
      if (mayControl()) take(viewer, message);
    };
    waiting
      .run(turn)
      .catch(() => undefined)
      .finally(() => {
        hold(-message.length);
        socket.resume();
      });
  };
}

function take(viewer: Viewer, message: Buffer): void {
  const text = message.toString();
  if (textBeyond(text, BOUNDS) !== undefined) return;
  const command = ViewCommand.safeParse(parseJson(text));
  if (command.success) viewer.copy(command.data.text);
}
