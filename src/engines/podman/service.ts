import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ApiError } from '../../contract/errors.js';
import { sleep } from '../../lib/async/sleep.js';
import { canAccess } from '../../lib/fs/access.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { runsSystemd } from '../local-host.js';

const START_MS = 20_000;
const ATTEMPT_EVERY_MS = 20;

/**
 * Podman's API service, `podman system service`, on a socket in the state directory. Containers run on
 * without it. Each process of `vc` has its own, which ends with it.
 */
export class PodmanService {
  readonly socket: string;
  readonly #directory: string;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;

  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, 'podman');
    this.socket = join(this.#directory, `${process.pid}.sock`);
  }

  /** Starts it unless it runs. Shared by all who ask meanwhile. */
  ready(): Promise<void> {
    this.#starting ??= this.#start().catch((error) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    await this.#removeOldSockets();
    // A file: it may outlive this process.
    const path = join(this.#directory, 'service.log');
    const log = openSync(path, 'w', 0o600);
    const argv = [
      '--pdeathsig',
      'TERM',
      'podman',
      ...(await globalArguments()),
      ...this.#command(),
    ];
    const child = spawn('setpriv', argv, {
      stdio: ['ignore', log, log],
      // Not ended by Ctrl-C in the terminal of `vc serve`, which still removes its machines.
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    child.once('exit', () => {
      this.#starting = undefined;
    });
    child.unref();
    const failed = once(child, 'error').then(([error]) => Promise.reject(error));
    const started = this.#waitUntilItAnswers(child);
    await Promise.race([failed, started]).catch((cause) => {
      child.kill();
      const reason = readFileSync(path, 'utf8').trim().split('\n').at(-1) || errorMessage(cause);
      throw new ApiError('engine_unavailable', `Podman's API service does not start: ${reason}`, {
        remedy: 'vc doctor',
        cause,
      });
    });
  }

  async #waitUntilItAnswers(child: ChildProcess): Promise<void> {
    for (const end = performance.now() + START_MS; performance.now() < end; ) {
      if (await answers(this.socket)) return;
      if (child.exitCode !== null || child.signalCode !== null) throw new Error('it has ended');
      await sleep(ATTEMPT_EVERY_MS);
    }
    throw new Error(`no answer within ${START_MS / 1000} s`);
  }

  #command(): string[] {
    // Version 4.3 takes itself for idle while it is used.
    return ['system', 'service', '--time=0', `unix://${this.socket}`];
  }

  /** Ends it. Containers run on. */
  close(): void {
    this.#child?.kill('SIGTERM');
  }

  /** Of processes that have ended. */
  async #removeOldSockets(): Promise<void> {
    for (const name of readdirSync(this.#directory).filter((each) => each.endsWith('.sock'))) {
      const path = join(this.#directory, name);
      if (!(await answers(path))) rmSync(path, { force: true });
    }
  }
}

/** What Podman needs on this host, before its command. */
export async function globalArguments(): Promise<string[]> {
  return [
    // Without systemd, Podman has no other way to make control groups.
    ...((await runsSystemd()) ? [] : ['--cgroup-manager', 'cgroupfs', '--events-backend', 'file']),
    // crun refuses hosts with both versions of control groups.
    ...((await canAccess('/usr/sbin/runc')) ? ['--runtime', 'runc'] : []),
  ];
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
