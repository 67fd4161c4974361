import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../eventually.js';
import type { ServiceOptions } from './service.js';

/** Milliseconds by which a service's clocks are ahead of the host's. */
interface Shift {
  readonly wall: number;
  readonly monotonic: number;
}

/** The clocks of one service. */
export interface ServiceClock {
  /** For the service that they belong to. */
  readonly options: Pick<ServiceOptions, 'preload' | 'env'>;
  /** Shifts them, and waits until the service has looked for idle computers twice after that. */
  shift(pid: number, shift: Partial<Shift>): Promise<void>;
  close(): void;
}

export function openServiceClock(): ServiceClock {
  const directory = mkdtempSync(join(tmpdir(), 'vc-clock-'));
  const file = join(directory, 'clock');
  const write = (shift: Shift) => writeFileSync(file, JSON.stringify(shift));
  const checks = () => readFileSync(`${file}.checks`, 'utf8');
  write({ wall: 0, monotonic: 0 });
  return {
    options: {
      preload: fileURLToPath(new URL('shifted-clock.js', import.meta.url)),
      env: { VC_TEST_CLOCK: file },
    },
    shift: async (pid, { wall = 0, monotonic = 0 }) => {
      const before = checks().split('-').length;
      write({ wall, monotonic });
      process.kill(pid, 'SIGUSR2');
      await eventually(async () => {
        const sinceShift = checks().split('-');
        return sinceShift.length > before && (sinceShift.at(-1) ?? '').length >= 2;
      });
    },
    close: () => rmSync(directory, { recursive: true }),
  };
}
