import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));

const folders = readdirSync(`${here}corpus`);
const run = [...readFileSync(`${here}parsers.test.ts`, 'utf8').matchAll(/fuzz\({\s*name: '(.*)'/g)];

it('every corpus has inputs and is run', () => {
  expect(run.map(([, name]) => name).sort()).toEqual([...folders].sort());
  for (const folder of folders) expect(readdirSync(`${here}corpus/${folder}`)).not.toEqual([]);
});
