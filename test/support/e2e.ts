import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import type { ComputerHandle } from '../../src/client/computer.js';
import { openTestService, type TestService } from './service.js';

/**
 * Waits until a computer runs, and fails when it cannot. A request waits a minute at the most, and
 * an emulated machine on a busy host boots for longer.
 */
export async function untilRunning(
  service: Pick<TestService, 'http'>,
  id: string,
  ms = 600_000,
): Promise<void> {
  await eventually(async () => {
    const { status, status_reason } = (await service.http('GET', `/computers/${id}`)).json;
    if (status === 'error') throw new Error(`no computer: ${status_reason}`);
    return status === 'running';
  }, ms);
}

/** A service with a project `e2e` and one running computer `desktop` in it. */
export interface Bench {
  readonly service: TestService;
  readonly id: string;
  readonly computer: ComputerHandle;
  /** Runs a command in the computer and returns what it printed; fails if the command does. */
  run(command: string): Promise<string>;
  /** Waits until the command succeeds. */
  until(command: string): Promise<void>;
  close(): Promise<void>;
}

export async function openBench(flags: readonly string[] = []): Promise<Bench> {
  const service = await openTestService(inject('dockerHost'), flags);
  const id = await createDesktop(service).catch(async (error) => {
    // Whoever opened it has nothing to close.
    await service.close();
    throw error;
  });
  const run = async (command: string) => {
    const { json } = await service.http('POST', `/computers/${id}/bash`, { command });
    if (json.exit_code !== 0) throw new Error(`${command}: ${JSON.stringify(json)}`);
    return json.stdout as string;
  };
  return {
    service,
    id,
    computer: service.vc.computer({ id: id }),
    run,
    until: async (command) => {
      await run(`for i in $(seq 200); do ${command} && exit 0; sleep 0.05; done; exit 1`);
    },
    close: service.close,
  };
}

async function createDesktop(service: TestService): Promise<string> {
  await service.vc.projects.create('e2e');
  const { status, json } = await service.http('POST', '/projects/e2e/computers', {
    name: 'desktop',
  });
  if (status !== 200) throw new Error(`no computer: ${JSON.stringify(json)}`);
  await untilRunning(service, json.id);
  return json.id;
}

/** Tries until `probe` gives something other than undefined or false. */
export async function eventually<T>(
  probe: () => Promise<T | undefined | false>,
  ms = 10_000,
): Promise<T> {
  for (const end = Date.now() + ms; ; await sleep(50)) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`not within ${ms} ms`);
  }
}
