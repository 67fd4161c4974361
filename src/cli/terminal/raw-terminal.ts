import type { Input, Output } from '../framework/io.js';

/** Leaves the alternate screen, shows the cursor, resets colours, ends mouse and paste reports. */
const RESET =
  '\u001b[?1049l\u001b[?25h\u001b[0m\u001b[?1000l\u001b[?1002l\u001b[?1006l\u001b[?2004l';

/** Puts the terminal in raw mode; the returned function restores it. */
export function enterRawMode(stdin: Input): () => void {
  stdin.setRawMode?.(true);
  const leave = () => void stdin.setRawMode?.(false);
  // Restore the terminal however the process ends.
  process.once('exit', leave);
  return () => {
    process.off('exit', leave);
    leave();
  };
}

/** Resets a terminal whose program was cut off. */
export function resetTerminal(stdout: Output): void {
  if (stdout.isTTY) stdout.write(RESET);
}

/** The size of the terminal; 80x24 if unknown. */
export function terminalSize({ columns, rows }: Output): { columns: number; rows: number } {
  const within = (value: number | undefined, otherwise: number) =>
    Math.min(1000, Math.max(1, value || otherwise));
  return { columns: within(columns, 80), rows: within(rows, 24) };
}

/** Detects `~.` at the start of a line, as in ssh, and passes on everything else. */
export class EscapeFilter {
  readonly #onLeave: () => void;
  #state: 'line start' | 'tilde' | 'within' = 'line start';

  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  /** The part of `typed` for the program. */
  filter(typed: Buffer): Buffer {
    const passed: number[] = [];
    for (const byte of typed) {
      if (this.#state === 'line start' && byte === 0x7e) {
        this.#state = 'tilde';
        continue;
      }
      if (this.#state === 'tilde') {
        if (byte === 0x2e) {
          this.#onLeave();
          return Buffer.alloc(0);
        }
        passed.push(0x7e);
        // `~~` is a literal `~`.
        if (byte === 0x7e) {
          this.#state = 'within';
          continue;
        }
      }
      passed.push(byte);
      this.#state = byte === 0x0d || byte === 0x0a ? 'line start' : 'within';
    }
    return Buffer.from(passed);
  }
}
