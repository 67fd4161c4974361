import { stripVTControlCharacters } from 'node:util';
import { printable } from '../../lib/text/printable.js';

/** Progress of a build: one JSON object a line. Steps are numbered from 1, in the order they begin. */
export type BuildEvent =
  | {
      readonly type: 'step';
      readonly step: number;
      readonly stage: string;
      /** Of the steps of the stage, FROM included. */
      readonly position: number;
      readonly total: number;
      readonly line: number;
      readonly text: string;
    }
  | { readonly type: 'cached'; readonly step: number }
  | {
      readonly type: 'output';
      readonly step: number;
      readonly stream: 'stdout' | 'stderr';
      /** Seconds since the step began. */
      readonly seconds: number;
      /** One line. */
      readonly text: string;
    }
  | { readonly type: 'done'; readonly step: number; readonly seconds: number }
  | { readonly type: 'failed'; readonly step: number; readonly message: string }
  | { readonly type: 'note'; readonly line: number; readonly message: string };

/** A line as `docker build --progress=plain` prints it, without characters that control a terminal. */
export function formatEvent(event: BuildEvent): string {
  switch (event.type) {
    case 'step': {
      const { step, stage, position, total, text } = event;
      return `#${step} [${stage} ${position}/${total}] ${printable(text)}`;
    }
    case 'cached':
      return `#${event.step} CACHED`;
    case 'output': {
      const text = printable(stripVTControlCharacters(event.text).replaceAll('\t', '  '));
      return `#${event.step} ${event.seconds.toFixed(3)} ${text}`;
    }
    case 'done':
      return `#${event.step} DONE ${event.seconds.toFixed(1)}s`;
    case 'failed':
      return `#${event.step} ERROR: ${printable(event.message)}`;
    case 'note':
      return `note: line ${event.line}: ${printable(event.message)}`;
  }
}

/** Most bytes of a step's output that are shown, as BuildKit has it; and of a line. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_LINE = 16 * 1024;

type Stream = 'stdout' | 'stderr';

/** Cuts the output of a step into lines, and drops what is too much. Secrets in it are hidden. */
export class StepOutput {
  readonly #onLine: (text: string, stream: Stream) => void;
  readonly #hide: (text: string) => string;
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #started = { stdout: '', stderr: '' };
  #left = MOST_BYTES;

  constructor(onLine: (text: string, stream: Stream) => void, secrets: readonly string[] = []) {
    this.#onLine = onLine;
    this.#hide = hider(secrets);
  }

  write(chunk: Uint8Array, stream: Stream): void {
    if (this.#left <= 0) return;
    const taken = chunk.subarray(0, this.#left);
    this.#left -= taken.length;
    const text = this.#started[stream] + this.#decoders[stream].decode(taken, { stream: true });
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) this.#line(line, stream);
    this.#started[stream] = last.length > MOST_LINE ? '' : last;
    if (last.length > MOST_LINE) this.#line(last, stream);
    if (this.#left > 0) return;
    this.end();
    this.#onLine(`[output clipped: more than ${MOST_BYTES / 1024 ** 2} MiB]`, 'stderr');
  }

  /** Reports lines without an end. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#started[stream] !== '') this.#line(this.#started[stream], stream);
      this.#started[stream] = '';
    }
  }

  #line(line: string, stream: Stream): void {
    // Of a line that a program has drawn several times, the last version.
    const drawn = line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
    this.#onLine(this.#hide(drawn.slice(0, MOST_LINE).toWellFormed()), stream);
  }
}

/** Replaces secrets in a line. A short one would hide too much; a long one may have several lines. */
export function hider(secrets: readonly string[]): (line: string) => string {
  const hidden = secrets
    .flatMap((secret) => secret.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line.length >= 4);
  hidden.sort((one, other) => other.length - one.length);
  return (line) => hidden.reduce((text, secret) => text.replaceAll(secret, '****'), line);
}
