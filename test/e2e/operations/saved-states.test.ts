// @module-tag slow
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desktop, openDesktop, untilRunning } from '../../support/service/desktop.js';

/** Snapshots, resets, forks and images of computers: every row and command once, on every engine. */
let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop?.close());

const call = async (method: string, path: string, body?: object) => {
  const { status, json } = await desktop.service.http(method, path, body);
  expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBe(200);
  return json;
};
const vc = async (...args: string[]) => {
  const { code, stdout, stderr } = await desktop.service.cli(args);
  expect(code, `vc ${args.join(' ')}\n${stderr}`).toBe(0);
  return stdout;
};
const C = () => `/computers/${desktop.id}`;
const named = (name: string) => `${desktop.project}/${name}`;
const write = (text: string) => desktop.run(`echo ${text} >~/kept; sync`);
/** What was written, and the user who owns it. */
const kept = (name = 'desktop') =>
  vc('bash', named(name), 'test -e ~/kept && cat ~/kept && stat -c %U ~/kept || echo nothing');

it('a computer is saved, and put back to what was saved', async () => {
  // Of a first attempt.
  for (const name of ['snap-1', 'clean']) {
    await desktop.service.http('DELETE', `${C()}/snapshots/${name}`);
  }
  await write('original');
  await vc('snapshot', 'create', desktop.name, 'clean');
  await write('changed');
  const later = await call('POST', `${C()}/snapshots`, { memory: false });
  expect(later).toMatchObject({ name: 'snap-1', parent: 'clean', current: true, memory: false });
  await vc('reset', desktop.name, 'clean');
  expect(await kept()).toBe('original\nuser\n');
  const { snapshots } = await call('GET', `${C()}/snapshots`);
  expect(snapshots).toMatchObject([
    { name: 'clean', parent: null, current: true },
    { name: 'snap-1', parent: 'clean', current: false },
  ]);
  expect(await vc('snapshot', 'ls', desktop.name)).toMatch(/^clean\t\tyes\t.*\nsnap-1\tclean\t\t/m);
  await call('POST', `${C()}/reset`, { snapshot: 'snap-1' });
  // An emulated computer on a busy host boots longer than a request waits.
  await untilRunning(desktop.service, desktop.id);
  expect(await kept()).toBe('changed\nuser\n');
});

it('a computer is copied several times from a snapshot', async () => {
  await write('present');
  await vc('fork', `${desktop.name}@clean`, 'a', 'b');
  expect(await Promise.all(['a', 'b', 'desktop'].map(kept))).toEqual([
    ...['original\nuser\n', 'original\nuser\n', 'present\nuser\n'],
  ]);
  await vc('rm', named('a'), named('b'), '--yes');
});

it('a computer is copied as it is', async () => {
  expect(await call('POST', `${C()}/fork`, { name: 'copy' })).toMatchObject({ name: 'copy' });
  expect(await kept('copy')).toBe('present\nuser\n');
  await vc('rm', named('copy'), '--yes');
});

const image = () => `${desktop.project}-ready`;

it('an image is saved of a computer, and replaced by one of a snapshot', async () => {
  await call('POST', '/images', { name: image(), computer: desktop.id });
  await vc('image', 'save', `${desktop.name}@clean`, image());
  const { kind, used_by } = await call('GET', `/images/${image()}`);
  expect({ kind, used_by }).toEqual({ kind: 'saved', used_by: 0 });
  expect(await desktop.service.vc.images.log(image())).toBe('');
});

it('computers are made from an image, and keep it from being deleted', async () => {
  await vc('create', named('x'), '--image', image());
  expect(await kept('x')).toBe('original\nuser\n');
  const refused = await desktop.service.cli(['image', 'rm', image(), '--yes']);
  expect(refused).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(`vc rm ${named('x')}`),
  });
  await vc('rm', named('x'), '--yes');
  await call('DELETE', `/images/${image()}`);
  expect(await vc('image', 'ls')).not.toContain(image());
  expect((await call('DELETE', '/build-cache')).bytes).toBeGreaterThanOrEqual(0);
});

it('snapshots are removed, and a reset without one goes back to the creation', async () => {
  await vc('reset', desktop.name);
  expect(await kept()).toBe('nothing\n');
  await call('DELETE', `${C()}/snapshots/clean`);
  await vc('snapshot', 'rm', desktop.name, 'snap-1', '--yes');
  expect((await call('GET', `${C()}/snapshots`)).snapshots).toEqual([]);
});
