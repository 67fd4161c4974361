import { readdirSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desktop, openDesktop } from '../../../../support/service/desktop.js';

const CLIENT = new URL('../../../../../clients/python/', import.meta.url).pathname;
/** Debian's own, for which the test packages are installed. */
const PYTHON = '/usr/bin/python3';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

describe('the Python client', () => {
  const files = readdirSync(`${CLIENT}tests`).filter((name) => /^test_.*\.py$/.test(name));

  it.each(files)('passes %s', async (file) => {
    const limits = ['--durations=5', '-o', 'faulthandler_timeout=60'];
    const args = ['-m', 'pytest', '-v', '--color=no', ...limits, `tests/${file}`];
    const { exitCode, all, stdout } = await execa(PYTHON, args, {
      env: {
        ...desktop.service.env,
        VC_TEST_COMPUTER: desktop.id,
        PYTHONDONTWRITEBYTECODE: '1',
      },
      ...{ extendEnv: false, cwd: CLIENT, stdin: 'ignore', all: true, reject: false },
      timeout: 110_000,
    });
    expect(exitCode, all).toBe(0);
    expect(stdout).toMatch(/\d+ passed in/);
    expect(stdout).not.toMatch(/skipped/);
  });
});
