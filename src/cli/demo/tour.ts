import { PassThrough } from 'node:stream';
import { sleep } from '../../lib/async/sleep.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { Interrupts } from '../framework/interrupts.js';
import { type Io, write } from '../framework/io.js';
import { note } from '../output/print.js';
import { type Step, shellLine } from './steps.js';

/** Where the stdout of a step goes: to stderr, or to the terminal itself, which shows images. */
export type Output = 'stderr' | 'terminal';

/** Prints commands and runs them exactly as printed. */
export class Tour {
  readonly #context: Context;
  readonly #pauseMs: number;
  /** Global options of `vc demo`, repeated in each command. */
  readonly #globals: readonly string[];

  constructor(context: Context, pauseSeconds: number) {
    this.#context = context;
    this.#pauseMs = pauseSeconds * 1000;
    const { profile, baseUrl } = context.globals;
    this.#globals = [
      ...(profile === undefined ? [] : ['--profile', profile]),
      ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ];
  }

  /** Prints and runs a step; resolves to its exit code. */
  async show(step: Step, output: Output = 'stderr'): Promise<number> {
    const { interrupts } = this.#context;
    const { signal } = interrupts;
    const code = await this.#run(step, output, interrupts);
    if (signal.aborted) return ExitCode.interrupted;
    await sleep(this.#pauseMs, signal).catch(() => {});
    return signal.aborted ? ExitCode.interrupted : code;
  }

  /** Runs the step that cleans up: even after Ctrl-C, until the next Ctrl-C. */
  async cleanUp(step: Step): Promise<number> {
    const interrupts = new Interrupts();
    const release = this.#context.interrupts.capture((signal) => interrupts.trigger(signal));
    try {
      return await this.#run(step, 'stderr', interrupts);
    } finally {
      release();
    }
  }

  async #run({ says, argv }: Step, output: Output, interrupts: Interrupts): Promise<number> {
    const { io, style, run } = this.#context;
    const line = [...this.#globals, ...argv];
    if (this.#isQuiet) return run([...line, '--quiet'], { interrupts, io: this.#io(output) });
    const chalk = await style('stderr');
    await note(this.#context, '');
    await write(io.stderr, `${chalk.bold(says)}\n  ${chalk.cyan(`$ ${shellLine(line)}`)}\n`);
    return run(line, { interrupts, io: this.#io(output) });
  }

  #io(output: Output): Io {
    const { io } = this.#context;
    if (output === 'terminal') return io;
    const { stderr } = io;
    // A step must not wait for input.
    const stdin = new PassThrough().end();
    return { stdin, stdout: this.#isQuiet ? new PassThrough().resume() : stderr, stderr };
  }

  get #isQuiet(): boolean {
    const { json, quiet } = this.#context.globals;
    return json || quiet;
  }
}
