import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type Docker from 'dockerode';
import { rolldown } from 'rolldown';
import { inject } from 'vitest';
import type { Engine, Snapshotting } from '../../../src/engines/engine.js';
import { type Deferred, deferred } from '../../../src/lib/async/deferred.js';

/** What the driver of an engine can be asked for. */
export interface DrivenEngine
  extends Pick<Engine, 'create' | 'start' | 'stop' | 'remove' | 'list' | 'describe'>,
    Snapshotting {
  watch(): Promise<void>;
  exec(id: string, user: string, script: string): Promise<string>;
  inspect(id: string): Promise<Docker.ContainerInspectInfo>;
  tags(): Promise<string[]>;
  containers(): Promise<string[]>;
}

export interface EngineDriver {
  readonly engine: DrivenEngine;
  /** Ends the process that the engine is in, and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the engine of this run in a process of its own. */
export async function openDriver(): Promise<EngineDriver> {
  const directory = mkdtempSync(join(tmpdir(), 'vc-driver-'));
  const program = await bundle();
  const serviceId = `svc_${Date.now().toString(36)}`;
  let waiting = new Map<number, Deferred<unknown>>();
  let child = start();
  let last = 0;

  function start() {
    const engine = inject('engine');
    const { prefix = [], env = {} } = engine === 'podman' ? inject('podman') : {};
    const own =
      engine === 'podman' ? { CONTAINER_HOST: '' } : { DOCKER_HOST: inject('dockerHost') };
    const argv = [...prefix, process.execPath, program, engine, directory, serviceId];
    const started = spawn(argv[0] ?? '', argv.slice(1), {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env, ...own },
    });
    const answers = new Map<number, Deferred<unknown>>();
    waiting = answers;
    createInterface({ input: started.stdout }).on('line', (line) => {
      const { id, value, error } = JSON.parse(line);
      const answer = answers.get(id);
      answers.delete(id);
      if (error) answer?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else answer?.resolve(value);
    });
    started.once('exit', () => {
      for (const each of answers.values()) each.reject(new Error('the engine was killed'));
    });
    return started;
  }
  const call = (name: string, values: readonly unknown[]) => {
    const answer = deferred<unknown>();
    const id = ++last;
    waiting.set(id, answer);
    child.stdin.write(`${JSON.stringify({ id, call: name, values })}\n`);
    return answer.promise;
  };
  const engine = new Proxy({} as DrivenEngine, {
    get:
      (_, name) =>
      (...values: readonly unknown[]) =>
        call(String(name), values),
  });
  return {
    engine,
    restart: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      child = start();
    },
    close: async () => {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
      rmSync(directory, { recursive: true, force: true });
      rmSync(program, { force: true });
    },
  };
}

/** One file, beside the packages that it imports. */
async function bundle(): Promise<string> {
  const input = new URL('./driver.ts', import.meta.url).pathname;
  const cache = new URL('../../../node_modules/.cache', import.meta.url).pathname;
  const file = join(cache, `engine-driver-${process.pid}.mjs`);
  const bundled = await rolldown({ input, platform: 'node', external: /^[^./]/, logLevel: 'warn' });
  await bundled.write({ file, format: 'esm', codeSplitting: false });
  await bundled.close();
  return file;
}
