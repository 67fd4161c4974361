import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  codeBlocks,
  type Examples,
  openExamples,
  type Skipped,
  shellScript,
} from '../../support/cli/examples.js';
import { openTestService, type TestService } from '../../support/service/service.js';

/** Lines that are not run here, by document. */
const SKIPPED: Readonly<Record<string, Skipped>> = {
  'recipes.md': [[/^ssh /, 'needs another machine']],
  'browser-testing.md': [],
};

const documentText = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

let service: TestService;
let examples: Examples;
beforeAll(async () => {
  service = await openTestService(['--max-running', '10']);
  examples = openExamples(service);
});
afterEach(async () => {
  for (const { name } of await service.vc.projects.list()) await service.vc.projects.delete(name);
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
