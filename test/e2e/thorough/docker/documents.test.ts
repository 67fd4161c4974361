import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'rolldown/experimental';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import {
  codeBlocks,
  type Examples,
  openExamples,
  type Skipped,
  shellScript,
} from '../../../support/cli/examples.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

/** Lines that are not run here, by document. */
const SKIPPED: Readonly<Record<string, Skipped>> = {
  'recipes.md': [
    [/^ssh -N /, 'needs another machine'],
    [
      /^vc (create|computer update) slow /,
      'not on every kernel; operations/network.test.ts has it',
    ],
    [/ --watch /, 'runs until Ctrl-C; operations/sync.test.ts has it'],
    [
      /^(ssh|scp|rsync|git|code|ansible|GIT_SSH_COMMAND=\S+ \S+ git) /,
      'ssh ignores $HOME; operations/ssh.test.ts has such programs',
    ],
  ],
  'browser-testing.md': [],
};

const documentText = (name: string) =>
  readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');

let service: TestService;
let examples: Examples;
beforeAll(async () => {
  service = await openTestService(['--max-running', '10'], { mountsOf: inject('dockerPid') });
  examples = openExamples(service);
  // The reader's own files.
  mkdirSync(join(examples.directory, 'project/results'), { recursive: true });
  writeFileSync(join(examples.directory, 'project/results/log'), 'passed\n');
  writeFileSync(join(examples.directory, 'setup.cfg'), '');
});
afterEach(async () => {
  for (const { name } of await service.vc.projects.list()) await service.vc.projects.delete(name);
  for (const { name } of await service.vc.volumes.list()) await service.vc.volumes.delete(name);
  for (const { name, kind } of (await service.vc.images.list()).images) {
    if (kind === 'saved') await service.vc.images.delete(name);
  }
});
afterAll(() => service.close());

it.each(Object.entries(SKIPPED))(
  'the shell samples of docs/%s run as they stand',
  async (name, skipped) => {
    await examples.run(shellScript(documentText(name), skipped));
    expect((await service.cli(['ls', '--all', '-q'])).stdout).toBe('');
  },
  300_000,
);

it('the programs of docs/python.md run as they stand', async () => {
  const programs = codeBlocks(documentText('python.md'), 'python');
  expect(programs.length).toBeGreaterThan(2);
  for (const program of programs) {
    writeFileSync(join(examples.directory, 'program.py'), program);
    await examples.run('/usr/bin/python3 program.py');
  }
  expect(await service.vc.projects.list()).toEqual([]);
}, 300_000);

/** A running computer `desk` in the project `lab`, with the directory `app`. */
async function makeDesk(): Promise<string> {
  await service.vc.projects.create('lab');
  const desk = await service.vc.computers.create('lab', { name: 'desk' });
  await desk.bash('mkdir app', { check: true });
  return desk.id;
}

it('the samples of docs/client.md run as they stand', async () => {
  const samples = codeBlocks(documentText('client.md'), 'ts');
  const [program = '', ...parts] = samples;
  expect(parts.length).toBeGreaterThan(3);
  const file = join(examples.directory, 'sample.mjs');
  const run = async (text: string) => {
    writeFileSync(file, (await transform('sample.ts', text)).code);
    await examples.run('node sample.mjs');
  };
  await run(program);
  const id = await makeDesk();
  // Each in a function of its own; the events end with the signal.
  const functions = parts.map((text) => `async (signal: AbortSignal) => {\n${text}\n}`);
  await run(`import { VirtualComputers } from 'virtual-computers-client';
const vc = new VirtualComputers();
const desk = vc.computer({ id: '${id}' });
for (const sample of [${functions.join(',\n')}]) {
  await sample(AbortSignal.timeout(3_000)).catch((error) => {
    if (error.name !== 'TimeoutError') throw error;
  });
}
await vc.close();`);
}, 300_000);

it('the samples of docs/http.md run as they stand', async () => {
  const id = await makeDesk();
  const samples = codeBlocks(documentText('http.md'), 'sh');
  expect(samples.length).toBeGreaterThan(2);
  // Fails for an error of the service; a stream without end is left after a while.
  const curl = `curl() {
  case "$*" in */events*) limit=5 ;; *) limit=60 ;; esac
  timeout $limit curl --no-progress-meter --fail-with-body "$@" || [ $? = 124 ]
}`;
  const origin = new URL(service.baseUrl).origin;
  const lines = samples.join('\n').replaceAll('http://127.0.0.1:4700', origin);
  const printed = await examples.run(`${curl}\nid=${id}\n${lines}`);
  expect(printed).toContain('{"success":true,"results":[');
  expect(printed).toContain('{"name":"browser-ready"');
}, 300_000);
