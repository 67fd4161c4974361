import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../support/service/service.js';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

/** Command lines and the maximum of code that each may load, in kB. bench/startup.js times them. */
const LIMITS: readonly (readonly [line: readonly string[], kilobytes: number])[] = [
  [['--version'], 5],
  [['--help'], 5],
  [['computer', '--help'], 5],
  [['__complete', 'computer', ''], 44],
  [['__complete', 'computer', 'get', ''], 100],
  [['ls', '--json'], 260],
  [['image', 'ls', '--json'], 260],
];

/** Total size of the files that Node.js loads for `vc LINE`, from V8's coverage. */
async function loadedBytes(line: readonly string[]): Promise<number> {
  const directory = await mkdtemp(join(service.directory, 'coverage-'));
  const { code } = await service.cli(line, {
    env: { ...service.env, NODE_V8_COVERAGE: directory },
  });
  expect(code).toBe(0);
  let bytes = 0;
  for (const name of await readdir(directory)) {
    const { result } = JSON.parse(await readFile(join(directory, name), 'utf8'));
    for (const { url } of result) {
      if (url.startsWith('file:')) bytes += (await stat(new URL(url))).size;
    }
  }
  await rm(directory, { recursive: true });
  return bytes;
}

it.each(LIMITS)('vc %j loads at most %i kB of code', async (line, kilobytes) => {
  const bytes = await loadedBytes(line);
  console.log(`vc ${line.join(' ')}: ${(bytes / 1000).toFixed(0)} kB`);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThanOrEqual(kilobytes * 1000);
});
