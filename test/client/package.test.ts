// @module-tag slow
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
// @ts-expect-error the configuration is JavaScript without types
import { clientBuilds } from '../../scripts/client-build.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const manifest = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

// Below the packages, so that a bundler finds them.
const cache = join(ROOT, 'node_modules/.cache/');
mkdirSync(cache, { recursive: true });
const directory = mkdtempSync(join(cache, 'vc-client-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeAll(async () => {
  for (const options of clientBuilds as BuildOptions[]) {
    await build({ ...options, output: { ...options.output, dir: directory }, logLevel: 'warn' });
  }
});

/** What a program prints that gets the package by `load`. */
async function run(type: 'commonjs' | 'module', load: string): Promise<string> {
  const program = `${load}
    const vc = new VirtualComputers({ baseUrl: 'http://127.0.0.1:1/api', apiKey: 'k', maxRetries: 0 });
    vc.health().catch((error) => console.log(error instanceof ServiceUnreachableError));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[`--input-type=${type}`, '-e', program],
  ]);
  return stdout.trim();
}

const names = '{ VirtualComputers, ServiceUnreachableError }';

it('the client can be imported and required, and has the same classes both ways', async () => {
  const path = join(directory, 'index');
  expect(await run('module', `import ${names} from '${path}.mjs';`)).toBe('true');
  expect(await run('commonjs', `const ${names} = require('${path}.cjs');`)).toBe('true');
  const mixed = `import { VirtualComputers } from '${path}.mjs';
    import { createRequire } from 'node:module';
    const { ServiceUnreachableError } = createRequire('${path}.cjs')('${path}.cjs');`;
  expect(await run('module', mixed)).toBe('true');
});

it('an error that nobody catches is not shown with all of its code', async () => {
  for (const name of ['index.cjs', 'browser.mjs']) {
    const lines = readFileSync(join(directory, name), 'utf8').split('\n');
    expect(Math.max(...lines.map(({ length }) => length)), name).toBeLessThan(8_000);
  }
});

it('errors have classes with their names', async () => {
  for (const name of ['index.cjs', 'browser.mjs']) {
    const { ServiceError, ServiceUnreachableError } = await import(join(directory, name));
    expect([ServiceError.name, ServiceUnreachableError.name], name).toEqual([
      'ServiceError',
      'ServiceUnreachableError',
    ]);
  }
});

it('it can be bundled into one file of CommonJS, where import.meta has no value', async () => {
  const file = join(directory, 'program.cjs');
  await build({
    input: join(directory, 'index.mjs'),
    platform: 'node',
    external: ['bufferutil', 'utf-8-validate'],
    transform: { define: { 'import.meta.url': 'undefined' } },
    output: { file, format: 'cjs', codeSplitting: false },
    logLevel: 'warn',
  });
  expect(await run('commonjs', `const ${names} = require('${file}');`)).toBe('true');
});

it('the build for browsers imports nothing, and does not use what only Node.js has', () => {
  const code = readFileSync(join(directory, 'browser.mjs'), 'utf8');
  expect(code).not.toMatch(
    /\bimport\b[^;]*['"`]|\brequire\(|node:|\bBuffer\b|(?<!\.)\bprocess\.\w/,
  );
});

it('it needs no other package, and its code is small', () => {
  const client = manifest('clients/typescript/package.json');
  expect(client.dependencies ?? {}).toEqual({});
  expect(client.version).toBe(manifest('package.json').version);
  const files = readdirSync(directory).filter((name) => name !== 'program.cjs');
  const sizes = files.map((name) => [name, statSync(join(directory, name)).size] as const);
  console.log(sizes.map(([name, size]) => `${name} ${(size / 1000).toFixed(0)} kB`).join(', '));
  expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(180_000);
});

it('the root package exports the same files', () => {
  const below = (value: unknown): unknown =>
    typeof value === 'string'
      ? value.replace('./', './clients/typescript/')
      : Object.fromEntries(Object.entries(value as object).map(([k, v]) => [k, below(v)]));
  const client = manifest('clients/typescript/package.json');
  const root = manifest('package.json');
  const { './contract': _, ...shared } = root.exports;
  const { './package.json': own, ...subpaths } = client.exports;
  expect(shared).toEqual({ ...(below(subpaths) as object), './package.json': own });
  expect(root.peerDependencies).toEqual(client.peerDependencies);
});

it('the adapters need their SDK only, and only if they are used', () => {
  const { peerDependencies, peerDependenciesMeta } = manifest('clients/typescript/package.json');
  for (const name of Object.keys(peerDependencies)) {
    expect(peerDependenciesMeta[name], name).toEqual({ optional: true });
  }
  for (const name of ['ai-sdk', 'anthropic', 'openai']) {
    const code = readFileSync(join(directory, `${name}.cjs`), 'utf8');
    const required = [...code.matchAll(/require\([`'"]([^`'"]+)/g)].map(([, path]) => path);
    expect(required, name).toEqual(
      name === 'anthropic' ? ['@anthropic-ai/sdk/helpers/beta/toolsets'] : [],
    );
  }
});
