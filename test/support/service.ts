import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { inject } from 'vitest';
import { VirtualComputers } from '../../src/client/index.js';
import { plantQemuSeed } from './qemu-seed.js';
import { RECORDER, requestsFile } from './requests.js';

const VC = new URL('../../bin/vc.js', import.meta.url).pathname;

/** A real `vc serve` in a state and configuration of its own. */
export interface TestService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pid: number;
  readonly directory: string;
  readonly vc: VirtualComputers;
  readonly env: NodeJS.ProcessEnv;
  /** Everything that it wrote on stderr. */
  log(): string;
  /** Runs `vc ARGS` against it; never throws for an exit code. */
  cli(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** A request as any HTTP client would send it. */
  http(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }>;
  /** Ends it with the signal and waits for it. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts it again on the same state and port. */
  start(): Promise<void>;
  /** Removes its computers, ends it, and removes its directory. */
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
export type Json = any;

export interface CliOptions {
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

export interface CliResult {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

/**
 * A service with the engine of this run, unless `flags` name another. `qemuSeed` is the state
 * directory whose QEMU images and templates it starts with; the run's own if not given.
 */
export async function openTestService(
  dockerHost: string,
  flags: readonly string[] = [],
  qemuSeed: string = inject('qemuSeed'),
): Promise<TestService> {
  const engine = inject('engine');
  const directory = mkdtempSync(join(tmpdir(), 'vc-e2e-'));
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: directory,
    VC_CONFIG_DIR: join(directory, 'config'),
    VC_STATE_DIR: join(directory, 'state'),
    VC_ENGINE: engine,
    DOCKER_HOST: dockerHost,
  };
  if (qemuSeed !== '') await plantQemuSeed(qemuSeed, join(directory, 'state'));
  let stderr = '';
  let child: ChildProcess | undefined;
  let listen = '127.0.0.1:0';
  let baseUrl = '';

  async function start(): Promise<void> {
    const before = stderr.length;
    // Spares have a test of their own; with them each of the others would start a machine more.
    const args = ['--import', RECORDER, VC, 'serve', '--listen', listen, '--spares', '0', ...flags];
    child = spawn(process.execPath, args, {
      env: { ...env, VC_TEST_REQUESTS: requestsFile(engine) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    for (const end = Date.now() + 20_000; ; await sleep(20)) {
      const url = /http:\/\/127\.0\.0\.1:\d+\/api/.exec(stderr.slice(before))?.[0];
      if (url && (await healthy(url))) {
        baseUrl = url;
        listen = new URL(url).host;
        return;
      }
      if (child.exitCode !== null || Date.now() > end) {
        child.kill('SIGKILL');
        throw new Error(`vc serve did not start:\n${stderr.slice(before)}`);
      }
    }
  }

  async function kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const dying = child;
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
    const ended = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill(signal);
    await ended;
  }

  await start();
  // The profile is written before the first key takes effect, right after the service listens.
  const profiles = JSON.parse(readFileSync(join(directory, 'config', 'config.json'), 'utf8'));
  const apiKey: string = profiles.profiles.default.apiKey;
  const vc = new VirtualComputers({ baseUrl, apiKey });

  return {
    get baseUrl() {
      return baseUrl;
    },
    get pid() {
      return child?.pid ?? 0;
    },
    apiKey,
    directory,
    vc,
    env,
    log: () => stderr,
    cli: async (args, options = {}) => {
      const result = await execa(process.execPath, [VC, ...args], {
        env: { ...env, ...options.env },
        extendEnv: false,
        reject: false,
        encoding: 'buffer',
        timeout: engine === 'docker' ? 120_000 : 600_000,
        stripFinalNewline: false,
        ...(options.cwd ? { cwd: options.cwd } : {}),
        ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
      });
      return {
        code: result.exitCode,
        stdout: Buffer.from(result.stdout).toString(),
        stderr: Buffer.from(result.stderr).toString(),
        bytes: Buffer.from(result.stdout),
      };
    },
    http: async (method, path, body) => {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, json: await response.json() };
    },
    kill,
    start,
    close: async () => {
      if (!(await healthy(baseUrl))) await start();
      for (const project of await vc.projects.list()) await vc.projects.delete(project.name);
      await vc.close();
      await kill('SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function healthy(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/health`).then(
    (response) => response.ok,
    () => false,
  );
}
