import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { COSTLY } from './test/support/run/costly.js';
import { isolateEnvironment, memoryDirectory } from './test/support/run/environment.js';
import { SummaryReporter } from './test/support/run/reporter.js';
import { LongestFirstSequencer } from './test/support/run/sequencer.js';

isolateEnvironment(process.env);

const inMemory = memoryDirectory();

const isThorough = process.env.VC_TEST_TIER === 'thorough';

/** End-to-end tests of what is written once, above the engines. */
const ABOVE_ENGINES = 'test/e2e/{computers,screen,shell,streaming,promises}/**/*.test.ts';

/** What is the same on every engine, because it rests on the same two byte streams: tested on Docker only. */
const DOCKER_ONLY = [
  'test/e2e/computers/browser.test.ts',
  'test/e2e/screen/dashboard/**',
  'test/e2e/thorough/screen/dashboard/**',
  'test/e2e/thorough/screen/{batch,computer-use,control,control-of-agents,elements-hostile,reference,trajectory}.test.ts',
  'test/e2e/thorough/streaming/**',
];

/** A file that is named on the command line runs in every tier. */
const isNamed = process.argv.some((word) => word.startsWith('test/'));

/** See test/support/run/promise.ts. */
const tags = [{ name: 'promise' }];

/** A busy host may be too slow for a test once; the reporter names those that needed it. */
const retry = 1;

const endToEnd = {
  tags,
  // Each attempt uses real machines, which share the host's processors with other files' machines.
  retry: 2,
  hookTimeout: 900_000,
  // Both engines share the workers. Tests wait for machines much of the time.
  maxWorkers: availableParallelism() + 1,
  // As in the unit tests: a worker loads the modules of `src` once for all its files.
  isolate: false,
  sequence: { groupOrder: 1 },
} as const;

/** Files that only the thorough tier runs. Those of no engine's folder run on Docker and on QEMU. */
const thorough = (engine: string) =>
  isThorough
    ? [
        'test/e2e/thorough/*.test.ts',
        'test/e2e/thorough/{computers,promises,screen,shell,streaming}/**/*.test.ts',
        `test/e2e/thorough/${engine}/**/*.test.ts`,
      ]
    : [];

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    // An engine removes its machines when it ends.
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirstSequencer },
    projects: [
      {
        test: {
          name: 'unit',
          tags,
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', ...(isThorough || isNamed ? [] : COSTLY)],
          retry,
          testTimeout: 20_000,
          // Many tests wait for a timer, a process or an X server.
          maxWorkers: availableParallelism() + 2,
          // Files share a process and their modules, which halves the processor time.
          isolate: false,
          ...(inMemory === undefined ? {} : { env: { TMPDIR: inMemory } }),
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'docker',
          include: [
            `test/e2e/operations/${isThorough ? '*' : '!(bounds|elements)'}.test.ts`,
            'test/e2e/{cli,docker}/**/*.test.ts',
            ABOVE_ENGINES,
            ...thorough('docker'),
          ],
          globalSetup: ['test/e2e/docker/setup.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'qemu',
          include: [
            ...(isThorough
              ? ['test/e2e/operations/*.test.ts', ABOVE_ENGINES]
              : ['test/e2e/operations/!(every-command|elements|bounds).test.ts']),
            'test/e2e/qemu/**/*.test.ts',
            ...thorough('qemu'),
          ],
          exclude: DOCKER_ONLY,
          globalSetup: ['test/e2e/qemu/setup.ts'],
          // Guests may be emulated.
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'incus',
          include: [
            // Code above the engines is the same; the thorough tier runs every operation.
            ...(isThorough
              ? ['test/e2e/{incus,operations}/**/*.test.ts']
              : ['test/e2e/incus/members.test.ts', 'test/e2e/operations/published.test.ts']),
            ...(isThorough ? ['test/e2e/thorough/incus/*.test.ts'] : []),
          ],
          runner: 'test/support/incus/skipping-runner.ts',
          globalSetup: ['test/e2e/incus/setup.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          // Last: reads what the services of the projects above have answered.
          name: 'coverage',
          include: ['test/e2e/coverage/**/*.test.ts'],
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
