import type { ProcessControl } from '../contract/types/index.js';

type WireSignal = Extract<ProcessControl, { type: 'signal' }>['signal'];

/** A signal for a process: `TERM` or `SIGTERM`, and so on. */
export type ProcessSignal = WireSignal | `SIG${WireSignal}`;

const SIGNALS = ['INT', 'TERM', 'HUP', 'KILL', 'QUIT'] as const satisfies readonly WireSignal[];

/** The message that sends a signal. Throws a TypeError for a name that is not one of these. */
export function signalMessage(name: ProcessSignal): ProcessControl {
  const signal = SIGNALS.find((one) => name === one || name === `SIG${one}`);
  if (signal === undefined) {
    throw new TypeError(`unknown signal ${String(name)}: use one of ${SIGNALS.join(', ')}`);
  }
  return { type: 'signal', signal };
}
