import { defineConfig } from 'vitest/config';

/** End-to-end tests of what every engine promises: they run once on each. */
const EVERY_ENGINE = [
  ...['published', 'typing', 'input', 'screenshot', 'shell', 'lifecycle', 'cli', 'batch'],
  ...['jobs', 'terminal', 'forward', 'crash-points', 'files', 'stream', 'view', 'windows'],
  'surfaces',
];

/** Where the promises about one engine alone are; `promises/*` are those that both keep. */
const PROMISES = 'test/e2e/promises';

/** What keeps a promise, see test/support/promise.ts. */
const tags = [{ name: 'promise' }];

const realThing = { fileParallelism: false, hookTimeout: 900_000 } as const;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          tags,
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          ...realThing,
          name: 'e2e',
          tags,
          include: ['test/e2e/**/*.test.ts'],
          exclude: [
            ...['test/e2e/qemu/**', 'test/e2e/qemu-*.test.ts', `${PROMISES}/qemu/**`],
            'test/e2e/answered/**',
          ],
          globalSetup: ['test/e2e/setup.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...realThing,
          name: 'e2e-qemu',
          tags,
          include: [
            ...EVERY_ENGINE.map((name) => `test/e2e/${name}.test.ts`),
            `${PROMISES}/*.test.ts`,
            `${PROMISES}/qemu/**/*.test.ts`,
            'test/e2e/qemu/**/*.test.ts',
            'test/e2e/qemu-*.test.ts',
          ],
          globalSetup: ['test/e2e/qemu/setup.ts'],
          // Guests may be emulated.
          testTimeout: 300_000,
        },
      },
      {
        test: {
          // After the two above: looks at what their services have answered.
          name: 'answered',
          include: ['test/e2e/answered/**/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
