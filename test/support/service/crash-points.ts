import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../eventually.js';

import type { TestService } from './service.js';

const PRELOAD = new URL('crash-at.js', import.meta.url).href;

/** A service that kills itself at a given point of its next work. */
export interface CrashingService {
  /**
   * Runs `work` against the service, which kills itself at the point with that number, counted from
   * 1, or at the first one whose description matches the expression. Returns true if it did, after
   * the service was started again; false if there is no such point.
   */
  crashAt(point: number | RegExp, work: () => Promise<unknown>): Promise<boolean>;
  /** Description of the last point. */
  lastPoint(): string;
}

/** Restarts the service with crash-at.js preloaded. */
export async function makeCrashing(service: TestService): Promise<CrashingService> {
  const orders = join(service.directory, 'crash-orders');
  const log = join(service.directory, 'crash-log');
  const logText = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  Object.assign(service.env, {
    NODE_OPTIONS: `--import=${PRELOAD}`,
    VC_CRASH_ORDERS: orders,
    VC_CRASH_LOG: log,
  });
  await service.kill('SIGTERM');
  await service.start();
  return {
    crashAt: async (point, work) => {
      const before = logText().length;
      const lines = () => logText().slice(before).split('\n');
      const isReached = () =>
        lines().some((line) => {
          const [, count, what = ''] = /^(\d+) (.*)$/.exec(line) ?? [];
          return typeof point === 'number' ? count === String(point) : point.test(what);
        });
      const arm = async (at: number | RegExp, nth: number) => {
        writeFileSync(orders, typeof at === 'number' ? String(at) : at.source);
        try {
          process.kill(service.pid, 'SIGUSR2');
        } catch {
          // The service has killed itself.
        }
        return eventually(async () => {
          if (isReached()) return 'dead';
          return lines().filter((line) => line === 'armed').length === nth && 'alive';
        }, 30_000);
      };
      await arm(point, 1);
      // The connection closes when the service dies.
      await work().catch(() => undefined);
      if ((await arm(0, 2)) === 'alive') return false;
      await service.kill('SIGKILL');
      await service.start();
      return true;
    },
    lastPoint: () => logText().trimEnd().split('\n').at(-1) ?? '',
  };
}
