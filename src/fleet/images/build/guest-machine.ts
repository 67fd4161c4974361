import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../../contract/errors.js';
import { packCommand, UNPACK, userCommand } from '../../../images/dockerfile/guest.js';
import type { BuildMachine, RunOptions } from '../../../images/dockerfile/machine.js';
import { abortable } from '../../../lib/async/abort.js';
import { CappedOutput } from '../../../lib/streams/capped-output.js';
import { excerpt } from '../../../lib/text/printable.js';
import { quote } from '../../../shell/process/quote.js';
import type { Shell, ShellProcess } from '../../../shell/types.js';
import type { Session } from '../../sessions/session.js';

/** Of what a failing program has printed. */
const MOST_ERRORS = 64 * 1024;
/** Milliseconds for a program that does nothing. */
const CHECK_MS = 30_000;

/** Remembers the processes that were there before the program. */
const BEFORE = `before=" $(printf '%s ' /proc/[0-9]*)"`;

/**
 * Ends what the program has left running: processes of its session, and those of other users than the
 * desktop's that are new. Those of the system, which a virtual machine has in other control groups, stay.
 */
const END_LEFTOVERS = `
user=$(id -u user 2>/dev/null) group=$(</proc/self/cgroup) own=' ' pid=$$
read -r _ _ _ _ _ session _ </proc/$$/stat
while [ "$pid" -gt 1 ]; do
  own="$own$pid " stat=$(cat "/proc/$pid/stat") && set -- \${stat##*) } && pid=$2 || break
done
for _ in 1 2 3 4 5; do
  found=
  for process in /proc/[0-9]*; do
    pid=\${process#/proc/}
    case $before in *" $process "*) continue ;; esac
    case $own in *" $pid "*) continue ;; esac
    { stat=$(<"$process/stat") && name=$(<"$process/comm"); } 2>/dev/null || continue
    set -- \${stat##*) }
    [ "$1" != Z ] && [ "$(cat "$process/cgroup" 2>/dev/null)" = "$group" ] || continue
    case $name in sshd*) continue ;; esac
    if [ "$4" = "$session" ] || [ "$(stat -c %u "$process" 2>/dev/null)" != "$user" ]; then
      kill -9 "$pid" 2>/dev/null && found=1
    fi
  done
  [ -n "$found" ] || break
done`;

export interface GuestMachineParts {
  readonly session: Session;
  save(key: string): Promise<void>;
  close(): Promise<void>;
}

interface Program {
  readonly input?: RunOptions['input'];
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A computer in which steps of a build run, through its shell and sudo. Programs, their variables and
 * input are sent on standard input: they are in no log of the computer.
 */
export class GuestMachine implements BuildMachine {
  readonly #parts: GuestMachineParts;

  constructor(parts: GuestMachineParts) {
    this.#parts = parts;
  }

  /** Throws ApiError `unsupported` if programs cannot run as root. */
  async check(signal?: AbortSignal): Promise<void> {
    const { exitCode } = await this.#shell(
      (shell) =>
        shell.run({
          command: 'sudo -n true',
          timeoutMs: CHECK_MS,
          background: false,
          ...(signal && { signal }),
        }),
      signal,
    );
    if (exitCode === 0) return;
    throw new ApiError('unsupported', 'The steps of a build run as root, and sudo does not work.', {
      remedy: 'Start the service without --no-sudo, and build from an image with sudo.',
    });
  }

  run(argv: readonly string[], options: RunOptions): Promise<number> {
    const { input = [], onOutput, signal } = options;
    return this.#run(userCommand(argv, options), {
      input,
      onStdout: (chunk) => onOutput(chunk, 'stdout'),
      onStderr: (chunk) => onOutput(chunk, 'stderr'),
      signal,
    });
  }

  async put(archive: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const errors = new CappedOutput(MOST_ERRORS);
    const code = await this.#run(UNPACK, {
      input: archive,
      onStdout: () => undefined,
      onStderr: (chunk) => errors.write(chunk),
      signal,
    });
    if (code !== 0) throw failed('write files', code, errors);
  }

  async *read(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const errors = new CappedOutput(MOST_ERRORS);
    const process = await this.#shell((shell) => start(shell, packCommand(path), signal), signal);
    try {
      process.stdin.end();
      process.stderr.on('data', (chunk: Buffer) => errors.write(chunk));
      yield* chunks(process.stdout);
      const code = codeOf(await abortable(process.exit, signal));
      if (code !== 0) throw failed(`read ${excerpt(path)}`, code, errors);
    } finally {
      process.stdout.destroy();
    }
  }

  save(key: string): Promise<void> {
    return this.#parts.save(key);
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  async #run(argv: readonly string[], program: Program): Promise<number> {
    const { input, onStdout, onStderr, signal } = program;
    return this.#shell(async (shell) => {
      const process = await start(shell, argv, signal);
      process.stdout.on('data', onStdout);
      process.stderr.on('data', onStderr);
      const fed = pipeline(input ?? [], process.stdin).catch((error: NodeJS.ErrnoException) => {
        // It ended without reading all of it.
        if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
      });
      const ended = Promise.all([process.exit, fed]);
      const [end] = await abortable(ended, signal);
      return codeOf(end);
    }, signal);
  }

  #shell<T>(work: (shell: Shell) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#parts.session.shell.use(work, signal);
  }
}

/** Starts a program as root. Its own standard input comes after the script. */
async function start(
  shell: Shell,
  argv: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ShellProcess> {
  const command = argv.map(quote).join(' ');
  const script = Buffer.from(`${BEFORE}\n${command}\ncode=$?${END_LEFTOVERS}\nexit "$code"\n`);
  const bash = ['bash', '-c', `eval "$(head -c ${script.length})" # vc`];
  const process = await shell.spawn({ argv: ['sudo', '-n', ...bash] }, signal);
  process.stdin.write(script);
  return process;
}

async function* chunks(stream: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield chunk as Buffer;
}

function codeOf({ code, signal }: { code: number | null; signal: string | null }): number {
  if (code !== null) return code;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return (
    128 + (numbers[`SIG${(signal ?? 'KILL').replace(/^SIG/, '')}`] ?? constants.signals.SIGKILL)
  );
}

function failed(what: string, code: number, errors: CappedOutput): Error {
  const detail = excerpt(errors.text().trim().split('\n')[0] ?? '') || `exit code ${code}`;
  return new ApiError('guest_failed', `The computer of the build could not ${what}: ${detail}.`);
}
