import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { isolateEnvironment, memoryDirectory } from './test/support/run/environment.js';
import { SummaryReporter } from './test/support/run/reporter.js';
import { SlowFirstSequencer } from './test/support/run/sequencer.js';

isolateEnvironment(process.env);

const isThorough = process.env.VC_TEST_TIER === 'thorough';
const isQuick = process.env.VC_TEST_TIER === 'quick';

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

/** Has name servers in the network namespace of the engine. On QEMU: test/e2e/qemu/network.test.ts. */
const NETWORKS_OF_CONTAINERS = 'test/e2e/operations/network.test.ts';

/** Files that only the thorough tier runs. Those of no engine's folder run on Docker and on QEMU. */
const thorough = (engine: string) =>
  isThorough
    ? [
        'test/e2e/thorough/*.test.ts',
        'test/e2e/thorough/{computers,promises,screen,shell,streaming}/**/*.test.ts',
        `test/e2e/thorough/${engine}/**/*.test.ts`,
      ]
    : [];

const unitFiles = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path}`)
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/e2e/'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  // `npm test` would load a file to find that all its tests are left out.
  .filter(({ text }) => !isQuick || !text.startsWith('// @module-tag'));

/** Replace a clock, which programs of other files in the process would see. */
const clocks = unitFiles.filter(({ text }) =>
  /useFakeTimers|setSystemTime|spyOn\((performance|Date)\b/.test(text),
);
const others = unitFiles.filter((file) => !clocks.includes(file));

const inMemory = memoryDirectory();

const unit = {
  // Ends a test that hangs; a busy host may need most of it.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // Many tests wait for a timer, a process or an X server.
  maxWorkers: availableParallelism() + 1,
  // Tests allocate a lot; the default of 16 MB costs a tenth of the processor time.
  execArgv: ['--max-semi-space-size=64'],
  env: inMemory === undefined ? {} : { TMPDIR: inMemory },
};

const endToEnd = {
  // A busy host may be too slow for a test once. The reporter names the tests that needed it.
  retry: 1,
  hookTimeout: 900_000,
  // Engines share the workers. Tests wait for machines a third of their time.
  maxWorkers: availableParallelism() + 1,
  // As in the unit tests: a worker loads the modules of `src` once for all its files.
  isolate: false,
  sequence: { groupOrder: 1 },
} as const;

export default defineConfig({
  test: {
    // What a file compiles to, in node_modules, from one run to the next.
    experimental: { fsModuleCache: true },
    reporters: ['default', new SummaryReporter()],
    // Of a test or, with `@module-tag`, of a file: `npm test` leaves out both, `npm run test:all` the second.
    tags: [
      { name: 'slow', description: 'takes half a second or more' },
      { name: 'thorough', description: 'runs before a release' },
    ],
    // An engine removes its machines when it ends.
    teardownTimeout: 60_000,
    sequence: { sequencer: SlowFirstSequencer },
    projects: [
      {
        test: {
          ...unit,
          name: 'unit',
          include: others.map(({ path }) => path),
          // Files share a process and their modules, which halves the processor time.
          isolate: false,
        },
      },
      {
        test: {
          ...unit,
          name: 'unit-clocks',
          include: clocks.map(({ path }) => path),
          isolate: false,
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'docker',
          include: [
            'test/e2e/{cli,docker,operations}/**/*.test.ts',
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
          name: 'podman',
          include: [
            'test/e2e/podman/**/*.test.ts',
            'test/e2e/operations/{access,desktop,elements,image-build,marks,options,publish,published,root,saved-states,ssh,surfaces,volumes}.test.ts',
            ...(isThorough
              ? [
                  'test/e2e/cli/runs.test.ts',
                  'test/e2e/thorough/saved-crash-points.test.ts',
                  'test/e2e/thorough/promises/host-down.test.ts',
                  ABOVE_ENGINES,
                  'test/e2e/operations/**/*.test.ts',
                ]
              : []),
          ],
          globalSetup: ['test/e2e/podman/setup.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...endToEnd,
          name: 'qemu',
          include: [
            'test/e2e/{operations,qemu}/**/*.test.ts',
            ...(isThorough ? [ABOVE_ENGINES] : []),
            ...thorough('qemu'),
          ],
          // The commands are the same as on Docker, and an emulated machine is slow to set up.
          exclude: [
            ...DOCKER_ONLY,
            NETWORKS_OF_CONTAINERS,
            ...(isThorough
              ? []
              : [
                  'test/e2e/operations/{conditions,every-command,marks,options,publish,setup,sync,text,trajectory-snapshots,volumes,windows-paths}.test.ts',
                ]),
          ],
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
            'test/e2e/incus/**/*.test.ts',
            ...(isThorough
              ? ['test/e2e/operations/**/*.test.ts', 'test/e2e/thorough/incus/*.test.ts']
              : ['test/e2e/operations/{image-build,published,root,saved-states,volumes}.test.ts']),
          ],
          exclude: [NETWORKS_OF_CONTAINERS],
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
