import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { afterAll, expect, it } from 'vitest';
// @ts-expect-error the configuration is JavaScript without types
import { library } from '../../rolldown.config.js';

// Below the packages, so that the bundler finds them.
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
mkdirSync(cache, { recursive: true });
const directory = mkdtempSync(join(cache, 'vc-bundle-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('the library can be bundled as CommonJS, where import.meta has no value', async () => {
  const dir = join(directory, 'dist');
  await build({ ...library, output: { ...library.output, dir }, logLevel: 'warn' });
  const file = join(directory, 'program.cjs');
  await build({
    input: join(dir, 'client/index.js'),
    platform: 'node',
    transform: { define: { 'import.meta.url': 'undefined' } },
    output: { file, format: 'cjs', codeSplitting: false },
    logLevel: 'warn',
  });
  const program = `
    const { VirtualComputers } = require(${JSON.stringify(file)});
    const vc = new VirtualComputers({ baseUrl: 'http://127.0.0.1:1/api', apiKey: 'k', maxRetries: 0 });
    vc.health().catch((error) => console.log(error.name));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program]);
  expect(stdout).toBe('ServiceUnreachableError\n');
});
