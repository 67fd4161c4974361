import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { transform } from 'rolldown/experimental';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Examples, openExamples } from '../../../../support/cli/examples.js';
import { isThorough } from '../../../../support/run/tiers.js';
import { connectSharedService } from '../../../../support/service/service.js';

const EXAMPLES = new URL('../../../../../examples/', import.meta.url).pathname;

/** What the quick tier runs, in every language. */
const QUICK = ['agent'];

/** What a program prints, in every language. */
const PRINTS: Readonly<Record<string, readonly RegExp[]>> = {
  agent: [/^the model sees \d+ bytes and: .*5000/m, /^saved: Milk, Brot, 牛乳$/m],
  parallel: [/ 4999950000$/m, / 499999500000$/m, / 49999995000000$/m],
  files: [/([0-9a-f]{64}).*\1.*\1|([0-9a-f]{64}).*\2/s],
  stream: [/^1\n2\n3\nexit code 7$/m, /^(ended|still here)/m, /^done$/m],
  events: [/^desk is running$/m, /^job exited with 3$/m],
  reset: [/^ok: a note is added$/m, /^ok: there is one note at first$/m, /^3 of 3 passed$/m],
  search: [/^way-1 fails$/m, /^way-6 passes$/m, /^found: year % 4 == 0 and \(year % 100/m],
  browser: [/^the page shows: 2 items$/m, /^the page shows: 3 items$/m],
};

/** How a program is run; TypeScript as JavaScript, because Node.js 20 reads no types. */
const COMMANDS: Readonly<Record<string, (path: string, directory: string) => Promise<string>>> = {
  '.ts': async (path, directory) => {
    const { code } = await transform(path, readFileSync(path, 'utf8'));
    const compiled = join(directory, `${basename(path, '.ts')}.mjs`);
    writeFileSync(compiled, code);
    return `node ${compiled}`;
  },
  '.py': async (path) => `/usr/bin/python3 ${path}`,
  '.sh': async (path) => path,
};

const topicOf = (name: string) => basename(name, extname(name));

let service: ReturnType<typeof connectSharedService>;
let examples: Examples;
beforeAll(() => {
  service = connectSharedService();
  examples = openExamples(service);
});
afterAll(() => service.close());

describe.each(['typescript', 'python', 'shell'])('the examples in %s', (language) => {
  const names = readdirSync(join(EXAMPLES, language));

  it('are the same as in the other languages', () => {
    expect(names.map(topicOf).sort()).toEqual(Object.keys(PRINTS).sort());
  });

  const run = names.filter((name) => isThorough || QUICK.includes(topicOf(name)));
  it.each(run)('%s runs as it stands and leaves no computer', async (name) => {
    const command = await COMMANDS[extname(name)]?.(
      join(EXAMPLES, language, name),
      examples.directory,
    );
    const topic = topicOf(name);
    const output = await examples.run(`rm -f page.png; ${command} 2>&1`);
    for (const pattern of PRINTS[topic] ?? []) expect(output).toMatch(pattern);
    if (topic === 'browser')
      expect(statSync(join(examples.directory, 'page.png')).size).toBeGreaterThan(1000);
    const projects = (await service.vc.projects.list()).map((project) => project.name);
    expect(projects.filter((project) => project.startsWith(`${topic}-`))).toEqual([]);
  });
});
