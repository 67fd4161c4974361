import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openTestApp } from '../support/app.js';
import { passedFunctions } from '../support/passed-functions.js';

it('counts', { timeout: 200_000 }, async () => {
  const app = await openTestApp();

  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  await app.send('POST', '/api/projects/shop/computers', { body: { name: 'desk' } });
  const path = '/api/projects/shop/computers/desk';
  for (const [name, work] of [
    ['click', () => app.send('POST', `${path}/click`, { body: { x: 1, y: 2 } })],
    ['get', () => app.send('GET', path)],
    ['shot', () => app.send('GET', `${path}/screenshot`)],
  ] as const) {
    for (let i = 0; i < 3; i++) expect((await work()).status).toBe(200);
    const { functions, files } = await passedFunctions(work);
    console.log(name, functions.length, files.length);
    writeFileSync(`/tmp/passed-${name}.txt`, functions.join('\n'));
  }
  await app.close();
});
