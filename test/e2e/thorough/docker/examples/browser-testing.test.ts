import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'rolldown/experimental';
import { expect, it } from 'vitest';
import { openExamples } from '../../../../support/cli/examples.js';
import { connectSharedService } from '../../../../support/service/service.js';

const SUITE = new URL('../../../../../examples/browser-testing/suite.ts', import.meta.url).pathname;
const PLAYWRIGHT = new URL('../../../../../node_modules/playwright-core', import.meta.url).pathname;

it('the suite of browser tests passes on two computers at once, and leaves none', async () => {
  const service = connectSharedService();
  try {
    const examples = openExamples(service);
    symlinkSync(PLAYWRIGHT, join(examples.directory, 'node_modules/playwright-core'));
    const { code } = await transform(SUITE, readFileSync(SUITE, 'utf8'));
    writeFileSync(join(examples.directory, 'suite.mjs'), code);
    const output = await examples.run('node suite.mjs 2>&1');
    expect(output).toMatch(/^4 of 4 passed on 2 computers$/m);
    expect(output).toMatch(/tester-1,[\s\S]*tester-2,|tester-2,[\s\S]*tester-1,/);
    const projects = (await service.vc.projects.list()).map(({ name }) => name);
    expect(projects.filter((name) => name.startsWith('suite-'))).toEqual([]);
  } finally {
    await service.close();
  }
});
