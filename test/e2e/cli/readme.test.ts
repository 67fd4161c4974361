import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Examples,
  openExamples,
  type Skipped,
  withoutSkipped,
} from '../../support/cli/examples.js';
import { openTestService, type TestService } from '../../support/service/service.js';

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

/** Lines of README that are not run here. */
const SKIPPED: Skipped = [
  [/^npm run /, 'sets up the host, or runs this test'],
  [/^vc forward /, 'runs until Ctrl-C'],
  [/^vc ls --watch /, 'runs until Ctrl-C'],
  [/^vc computer stream start /, 'needs the RTMP server live.example.com'],
  [/--engine qemu|^vc fork /, 'needs QEMU'],
  [/^vc image import |--image win$/, 'needs disks of virtual machines'],
];

const blocks = (language: string) =>
  [...README.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block = '']) => block,
  );

let service: TestService;
let examples: Examples;
beforeAll(async () => {
  service = await openTestService(['--max-running', '10']);
  examples = openExamples(service);
});
afterAll(() => service.close());

it('has shell samples that run as they stand, one after the other', async () => {
  const lines = blocks('sh')
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line !== '');
  // As `set -x`, but the line as it stands.
  const shown = withoutSkipped(lines, SKIPPED).map(
    (line) =>
      `printf '%s\\n' ${JSON.stringify('> ')}${JSON.stringify(line).replaceAll('$', '\\$').replaceAll('`', '\\`')} >&2\n${line}`,
  );
  await examples.run(shown.join('\n'));
  const size = (name: string) => statSync(join(examples.directory, name)).size;
  expect(
    ['desk.png', 'clip.mp4', 'copy.py', 'screen.png'].filter((name) => size(name) === 0),
  ).toEqual([]);
}, 600_000);

it('has a TypeScript sample that runs twice and leaves no computer', async () => {
  const [sample = ''] = blocks('ts');
  writeFileSync(join(examples.directory, 'sample.mjs'), sample);
  const before = await service.vc.projects.list();
  for (let run = 0; run < 2; run += 1) await examples.run(`node sample.mjs && test -s screen.png`);
  expect(await service.vc.projects.list()).toEqual(before);
}, 300_000);
