import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.js';
import { ExitCode } from '../exit-codes.js';
import { Interrupts } from '../interrupts.js';
import type { Io } from '../io.js';
import { main } from '../main.js';
import { note } from '../output.js';
import { type Step, shellLine } from './steps.js';

/** Where a step's data goes: beside the talk, or to the terminal itself, which shows pictures. */
export type Where = 'aside' | 'terminal';

/** Shows commands and runs them, each exactly as it is shown. */
export class Tour {
  readonly #context: Context;
  readonly #pauseMs: number;
  /** Said before the command's own words, as whoever called the tour said it. */
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

  /** Says and runs a step; resolves to its exit code. */
  async show(step: Step, where: Where = 'aside'): Promise<number> {
    const { signal } = this.#context.interrupts;
    await this.#say(step);
    const code = await this.#run(step, where, this.#context.interrupts);
    if (signal.aborted) return ExitCode.interrupted;
    await sleep(this.#pauseMs, undefined, { signal }).catch(() => {});
    return signal.aborted ? ExitCode.interrupted : code;
  }

  /** Says and runs the step that tidies up: also after Ctrl-C, and until a further one. */
  async tidy(step: Step): Promise<number> {
    const interrupts = new Interrupts();
    const release = this.#context.interrupts.capture((signal) => interrupts.trigger(signal));
    try {
      await this.#say(step);
      return await this.#run(step, 'aside', interrupts);
    } finally {
      release();
    }
  }

  async #say({ says, argv }: Step): Promise<void> {
    const chalk = await this.#context.style('stderr');
    const { stderr } = this.#context.io;
    await note(this.#context, '');
    if (!this.#context.globals.json && !this.#context.globals.quiet) {
      stderr.write(`${chalk.bold(says)}\n  ${chalk.cyan(`$ ${shellLine(this.#line(argv))}`)}\n`);
    }
  }

  #line(argv: readonly string[]): string[] {
    return [...this.#globals, ...argv];
  }

  #run({ argv }: Step, where: Where, interrupts: Interrupts): Promise<number> {
    const { env, cwd, now, globals } = this.#context;
    const flags = globals.json || globals.quiet ? ['--quiet'] : [];
    return main([...this.#line(argv), ...flags], {
      ...{ env, cwd, now, interrupts },
      io: this.#io(where),
    });
  }

  #io(where: Where): Io {
    const { io, globals } = this.#context;
    if (where === 'terminal') return io;
    const { stdin, stderr } = io;
    if (!globals.json && !globals.quiet) return { stdin, stdout: stderr, stderr };
    return { stdin, stdout: new PassThrough().resume(), stderr };
  }
}
