import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  codeBlocks,
  type Examples,
  openExamples,
  type Skipped,
  shellScript,
} from '../../../support/cli/examples.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

const README = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');

/** Lines of README that are not run here. */
const SKIPPED: Skipped = [
  [/^npm run /, 'sets up the host, or runs this test'],
  [/^vc (forward|vnc) /, 'runs until Ctrl-C'],
  [/^vc ls --watch /, 'runs until Ctrl-C'],
  [/^vc connection add /, 'asks for the stream key'],
  [/^vc computer stream start /, 'needs the RTMP server live.example.com'],
  [/--engine qemu|^vc fork vm /, 'needs QEMU'],
  [/^vc image import |--image win$/, 'needs disks of virtual machines'],
];

let service: TestService;
let examples: Examples;
beforeAll(async () => {
  service = await openTestService();
  // The quickstart leaves it running.
  await service.vc.projects.create('demo');
  await service.vc.computers.create('demo', { name: 'desktop' });
  examples = openExamples(service);
});
afterAll(() => service.close());

it('has shell samples that run as they stand, one after the other', async () => {
  await examples.run(shellScript(README, SKIPPED));
  const size = (name: string) => statSync(join(examples.directory, name)).size;
  expect(
    ['desk.png', 'clip.mp4', 'copy.py', 'screen.png'].filter((name) => size(name) === 0),
  ).toEqual([]);
}, 600_000);

it('has a Python sample that runs twice and leaves no computer', async () => {
  const [sample = ''] = codeBlocks(README, 'python');
  // Apart from copy.py of the shell samples, which would be imported in place of Python's own.
  mkdirSync(join(examples.directory, 'python'));
  writeFileSync(join(examples.directory, 'python/sample.py'), sample);
  const before = await service.vc.projects.list();
  for (let run = 0; run < 2; run += 1) {
    await examples.run(
      'cd python; rm -f screen.png; /usr/bin/python3 sample.py && test -s screen.png',
    );
  }
  expect(await service.vc.projects.list()).toEqual(before);
}, 300_000);

it('has a TypeScript sample that runs twice and leaves no computer', async () => {
  const [sample = ''] = codeBlocks(README, 'ts');
  writeFileSync(join(examples.directory, 'sample.mjs'), sample);
  const before = await service.vc.projects.list();
  for (let run = 0; run < 2; run += 1) await examples.run(`node sample.mjs && test -s screen.png`);
  expect(await service.vc.projects.list()).toEqual(before);
}, 300_000);
