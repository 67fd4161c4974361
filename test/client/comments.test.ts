import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Classes whose objects programs get. */
const FILES = [
  'src/client/virtual-computers.ts',
  ...['computer', 'files', 'resources'].flatMap((folder) =>
    readdirSync(`src/client/${folder}`).map((name) => `src/client/${folder}/${name}`),
  ),
];
/** The first line of a public method, as the formatter writes it. */
const METHOD = /^ {2}(?:async \*?|\*|get )?([a-z]\w*)(?:<.*)?\(/;

it('every method of the client has a comment, which editors show', () => {
  const [described, all] = [new Set<string>(), new Set<string>()];
  for (const path of FILES) {
    let name: string | undefined;
    readFileSync(path, 'utf8')
      .split('\n')
      .forEach((line, at, lines) => {
        if (/^(export class|\})/.test(line)) name = /class (\w+)/.exec(line)?.[1];
        const method = METHOD.exec(line)?.[1];
        if (name === undefined || method === undefined || method === 'constructor') return;
        all.add(`${name}.${method}`);
        if (lines[at - 1]?.endsWith('*/')) described.add(`${name}.${method}`);
      });
  }
  expect(all.size).toBeGreaterThan(100);
  expect([...all].filter((method) => !described.has(method))).toEqual([]);
});
