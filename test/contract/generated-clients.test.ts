// @module-tag thorough
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.js';

/*
 * Programs of others read the description that the service serves. They have a lockfile of their own:
 * `npm ci --prefix examples/openapi` installs them, as scripts/test-thorough.sh does.
 */

const run = promisify(execFile);
const example = join(process.cwd(), 'examples/openapi');
const program = (path: string) => join(example, 'node_modules', path);

let app: TestApp;
let cwd: string;
let baseUrl: string;
beforeAll(async () => {
  app = await openTestApp();
  baseUrl = `http://127.0.0.1:${app.port}/api`;
  // Below the packages, so that the compiler finds them.
  await mkdir(program('.cache'), { recursive: true });
  cwd = await mkdtemp(program('.cache/vc-clients-'));
  const { text } = await app.send('GET', '/api/openapi.json', { authorization: null });
  await writeFile(join(cwd, 'openapi.json'), text);
  for (const name of ['clients', 'orval.config.cjs', 'tsconfig.json']) {
    await cp(join(example, name), join(cwd, name), { recursive: true });
  }
});
afterAll(async () => {
  await app.close();
  await rm(cwd, { recursive: true, force: true });
});

/** Runs a program of a package. */
const node = (path: string, ...args: string[]) =>
  run(process.execPath, [program(path), ...args], { cwd });

it('Spectral finds no errors', async () => {
  const require = createRequire(join(example, 'package.json'));
  const { Spectral } = require('@stoplight/spectral-core');
  const { oas } = require('@stoplight/spectral-rulesets');
  const linter = new Spectral();
  linter.setRuleset({ extends: [oas] });
  const { text } = await app.send('GET', '/api/openapi.json', { authorization: null });
  const found: { code: string; severity: number; path: string[] }[] = await linter.run(text);
  expect(found.length).toBeGreaterThan(0);
  const errors = found.filter(({ severity }) => severity === 0);
  expect(errors.map(({ code, path }) => `${code} ${path.join('/')}`)).toEqual([]);
});

it('clients that are made from the description compile strictly and work', async () => {
  await node('orval/dist/bin/orval.js');
  await node('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey-api');
  const types = ['openapi.json', '-o', 'schema.ts', '--default-non-nullable=false'];
  await node('openapi-typescript/bin/cli.js', ...types);
  await node('typescript/bin/tsc', '-p', '.').catch(({ stdout }) => expect(stdout).toBe(''));

  const env = { ...process.env, VC_BASE_URL: baseUrl, VC_API_KEY: app.world.key };
  for (const name of ['openapi-fetch', 'orval', 'hey-api']) {
    const bundle = await rolldown({ input: join(cwd, `clients/${name}.ts`), platform: 'node' });
    const file = join(cwd, `${name}.mjs`);
    await bundle.write({ file, format: 'esm' });
    const { stdout } = await run(process.execPath, [file], { cwd, env });
    expect(JSON.parse(stdout), name).toEqual({
      ...{ name: true, computers: [], removed: true },
      refused: [400, expect.stringMatching(/already/)],
    });
  }
}, 180_000);
