import type { Input, Output } from './io.js';

/** Leaves the alternate screen, shows the cursor, and ends colours, mouse and paste reports. */
const CALM =
  '\u001b[?1049l\u001b[?25h\u001b[0m\u001b[?1000l\u001b[?1002l\u001b[?1006l\u001b[?2004l';

/** Puts the terminal in raw mode; the returned function gives it back as it was. */
export function enterRawMode(stdin: Input): () => void {
  stdin.setRawMode?.(true);
  const leave = () => void stdin.setRawMode?.(false);
  // Whatever ends this process, its terminal must work afterwards.
  process.once('exit', leave);
  return () => {
    process.off('exit', leave);
    leave();
  };
}

/** For a terminal whose program was cut off and could not tidy up. */
export function calm(stdout: Output): void {
  if (stdout.isTTY) stdout.write(CALM);
}

/** How large the terminal is; as terminals were once where it does not say. */
export function terminalSize({ columns, rows }: Output): { columns: number; rows: number } {
  const within = (value: number | undefined, otherwise: number) =>
    Math.min(1000, Math.max(1, value || otherwise));
  return { columns: within(columns, 80), rows: within(rows, 24) };
}

/** `~.` at the beginning of a line leaves, as with ssh; everything else is for the program. */
export class Escape {
  readonly #onLeave: () => void;
  #state: 'line start' | 'tilde' | 'within' = 'line start';

  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  /** What of `typed` goes to the program. */
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
        // Twice is once.
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
