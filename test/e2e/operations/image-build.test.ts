// @module-tag slow
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectDocker } from '../../../src/engines/docker/client.js';
import { promise } from '../../support/run/promise.js';
import { onDocker } from '../../support/run/tiers.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { openTestService, type TestService } from '../../support/service/service.js';

const SECRET = 'hidden-4711-secret';
const ARGUMENT = 'hidden-4711-argument';

/** Containers that disks are saved through are removed afterwards. */
const SOON = { timeout: 30_000, interval: 200 };

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
  await service.vc.projects.create('e2e');
});
afterAll(() => service.close());

/** Makes a context; `.dockerignore` and others are given by their path. */
function context(name: string, files: Readonly<Record<string, string>>): string {
  const directory = join(service.directory, name);
  mkdirSync(directory, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
  return directory;
}

const build = (directory: string, ...more: string[]) =>
  service.cli(['image', 'build', directory, ...more]);

const isDocker = inject('engine') === 'docker';
const isInspectable = inject('engine') !== 'incus';

/** What builds may leave besides images and the cache. */
async function left() {
  const projects = await service.vc.projects.list();
  return {
    builds: projects.map(({ name }) => name).filter((name) => name.startsWith('build-')),
    computers: (await service.http('GET', '/computers')).json.computers.length,
    ...(isInspectable ? await outOfBand(service).leftovers() : {}),
  };
}

it('a directory becomes an image, and the second build comes from the cache', async () => {
  const directory = context('two-steps', {
    'Dockerfile.qa':
      'FROM linux\nARG WHOM\nENV GREETING="hello $WHOM"\nCOPY --chown=user file.txt /opt/app/\nRUN cat /opt/app/file.txt >/opt/app/copy; sleep 300 & sleep 0.2; id -u\nUSER user\nRUN id -un >~/whoami\nCMD ["sh", "-c", "id -un >/tmp/started"]\n',
    'file.txt': 'from the context\n',
  });
  const before = await left();
  const options = [
    '-t',
    'mybox',
    '-f',
    join(directory, 'Dockerfile.qa'),
    '--build-arg',
    'WHOM=you',
  ];
  const first = await build(directory, ...options, '--no-cache');
  expect(first.stderr).toContain(`the image mybox is ready on ${inject('engine')}`);
  expect(first).toMatchObject({ code: 0 });
  expect(first.stderr).toMatch(/^#\d+ [\d.]+ 0$/m);
  const began = performance.now();
  const second = await build(directory, ...options);
  console.info(`unchanged: ${Math.round(performance.now() - began)} ms`);
  expect(second.stderr.match(/CACHED/g)?.length).toBeGreaterThanOrEqual(5);
  await expect.poll(left, SOON).toEqual(before);
  const pruned = await service.cli(['image', 'prune', '--yes']);
  // LXD has saved the last step only, which is the image.
  const freed = inject('engine') === 'incus' ? /^freed 0 B/ : /^freed (?!0 B)/;
  expect(pruned).toMatchObject({ code: 0, stderr: expect.stringMatching(freed) });
  const made = await service.cli(['create', 'e2e/x', '--image', 'mybox']);
  expect(made.code).toBe(0);
  const script =
    'cat /opt/app/copy; stat -c %U /opt/app/file.txt; cat ~/whoami; echo "$GREETING"; pgrep -f "sleep 30[0]" || echo none; until cat /tmp/started 2>/dev/null; do sleep 0.1; done';
  const { stdout } = await service.cli(['bash', 'e2e/x', script]);
  expect(stdout).toBe('from the context\nuser\nuser\nhello you\nnone\nuser\n');
}, 600_000);

onDocker('a build that fails says the line of the Dockerfile, and leaves nothing', async () => {
  const before = await left();
  const directory = context('failing', { Dockerfile: 'FROM linux\n\nRUN echo no >&2; exit 3\n' });
  const { code, stderr } = await build(directory, '-t', 'failing');
  expect(code).not.toBe(0);
  expect(stderr).toContain('Dockerfile:3: RUN echo no >&2; exit 3: it ended with exit code 3');
  await expect.poll(left, SOON).toEqual(before);
  expect((await service.http('GET', '/images/failing')).status).toBe(404);
});

onDocker('a base that nothing has is named before a computer is started', async () => {
  const directory = context('unknown', { Dockerfile: 'FROM debian:12\n' });
  const { stderr } = await build(directory, '-t', 'unknown');
  expect(stderr).toContain('Dockerfile:1: there is no image "debian:12"');
});

promise.runIf(isDocker)(
  35,
  'a secret is in no layer, log or list, nor is a build argument in logs',
  async (report) => {
    const directory = context('secret', {
      Dockerfile:
        'FROM linux\nARG WORD\nRUN --mount=type=secret,id=token test "$(cat /run/secrets/token)" = "$(printf hidden-4711-%s secret)" && printf %s "$WORD" | wc -c >/length\n',
    });
    writeFileSync(join(service.directory, 'token'), SECRET);
    const secret = `id=token,src=${join(service.directory, 'token')}`;
    const args = ['--secret', secret, '--build-arg', `WORD=${ARGUMENT}`];
    const { code, stderr, stdout } = await build(directory, '-t', 'secret', '--json', ...args);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n').at(-1)).toContain('"type":"image"');
    for (const hidden of [SECRET, ARGUMENT]) expect(stdout).not.toContain(hidden);
    const made = await service.cli(['create', 'e2e/y', '--image', 'secret']);
    expect(made.code).toBe(0);
    const search =
      'cat /length; ls -A /run/secrets; sudo find / -xdev -type f -mmin -60 -exec grep -lIE "hidden-4711-[sa]" {} + 2>/dev/null; true';
    const found = await service.cli(['bash', 'e2e/y', search]);
    expect(found.stdout).toBe(`${ARGUMENT.length}\n`);
    const docker = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });
    const images = await docker.listImages({ all: true });
    const histories = await Promise.all(
      images.map(async ({ Id }) => JSON.stringify(await docker.getImage(Id).inspect())),
    );
    const audit = await service.http('GET', '/audit');
    const log = await service.cli(['image', 'log', 'secret']);
    expect(log.stdout).toMatch(/^#\d+ DONE /m);
    const kept = service.log() + histories.join() + JSON.stringify(audit.json) + log.stdout;
    for (const hidden of [SECRET, ARGUMENT]) expect(kept).not.toContain(hidden);
    report(`${images.length} images, the log and the audit log`);
  },
);
