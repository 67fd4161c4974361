import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { DiskSource, MachineSpec } from '../../../src/engines/engine.js';
import { eventually } from '../eventually.js';
import { promise } from '../run/promise.js';
import { thorough } from '../run/tiers.js';
import { type EngineDriver, openDriver } from './open-driver.js';

/** What a test changes as root: contents, removals, a replaced directory, owners, special bits. */
const CHANGES = `
set -e
echo changed >/etc/issue
rm /etc/issue.net
rm -r /usr/share/doc/bash; mkdir /usr/share/doc/bash; echo new >/usr/share/doc/bash/new
echo mail >/srv/mail; chown 33:8 /srv/mail
cp /bin/true /srv/suid; chmod 4755 /srv/suid
ln /srv/suid /srv/linked
ln -s /nowhere /srv/link
truncate -s 1M /srv/hole
`;
const LOOK = `
cat /etc/issue; cat /home/user/note 2>/dev/null
stat -c '%n %U %a' /home/user /home/user/note /srv/suid
stat -c '%n %u:%g %h' /srv/mail /srv/linked
readlink /srv/link; ls /usr/share/doc/bash
test -e /etc/issue.net || echo removed
stat -c '%s' /srv/hole
test "$(stat -c %u /home/user)" = "$(id -u)" && echo 'own home'
sudo -n id -u
`;
const LOOKED = `changed
one
/home/user user 755
/home/user/note user 644
/srv/suid root 4755
/srv/mail 33:8 1
/srv/linked 0:0 2
/nowhere
new
removed
1048576
own home
0
`;

/** The tests of saved disks, on the engine of the run. Each continues with what the last has left. */
export function testSavedDisks(): void {
  describe('saved disks', { retry: 0 }, defineTests);
}

const isDocker = inject('engine') === 'docker';
/** On Podman in the thorough tier only. */
const onDockerOrThorough = isDocker ? it : thorough;

function defineTests(): void {
  let driver: EngineDriver;
  let spec: MachineSpec;
  let user: string;
  const snapshot: DiskSource = { id: 'snp_1', kind: 'snapshot' };
  const image: DiskSource = { id: 'img_1', kind: 'image' };

  beforeAll(async () => {
    driver = await openDriver();
    spec = {
      ...{ id: 'cmp_1', ownerId: 'own_1', projectId: 'prj_1', os: 'linux', image: 'linux' },
      ...{ cpu: 1, ram: 1, gpu: 'none', resolution: { width: 800, height: 600 } },
      ...{ authorizedKey: 'ssh-ed25519 AAAA', hostName: 'desk' },
    };
    await driver.engine.watch();
    await driver.engine.create(spec);
    await start(spec.id);
    user = await userOf(spec.id);
  });
  afterAll(async () => {
    if (driver === undefined) return;
    for (const { id } of await driver.engine.list()) await driver.engine.remove(id);
    for (const { id } of await driver.engine.savedDisks()) await driver.engine.removeSaved(id);
    await driver.close();
  });

  const userOf = async (id: string) => (await driver.engine.inspect(id)).Config.User;
  const run = async (id: string, script: string) =>
    driver.engine.exec(id, await userOf(id), script);
  const root = (id: string, script: string) => driver.engine.exec(id, 'root', script);
  const isReady = async (id: string) =>
    (await run(id, 'test -e /run/vc/ready && echo yes')) === 'yes\n';
  const start = async (id: string) => {
    await driver.engine.start(id);
    await eventually(() => isReady(id), 60_000);
  };
  const like = (id: string, from: DiskSource): MachineSpec => ({
    ...spec,
    id,
    from,
    hostName: id.replace('_', '-'),
  });
  const machinesOf = (id: string) => driver.engine.inspect(id);

  it('saves a running machine, which runs on', async () => {
    await run(
      spec.id,
      'echo one >~/note; setsid sleep 900 >/dev/null 2>&1 & until pgrep -x sleep; do sleep 0.1; done',
    );
    expect(await root(spec.id, CHANGES)).toBe('');
    const request = { ...snapshot, ownerId: spec.ownerId, memory: true };
    const saved = await driver.engine.save(spec.id, request);
    expect(saved).toMatchObject({ ...snapshot, machine: spec.id, memory: false });
    expect(saved.bytes).toBeGreaterThan(2 ** 20);
    expect(await driver.engine.save(spec.id, request)).toEqual(saved);
    expect(await driver.engine.savedDisks()).toEqual([saved]);
    expect(await run(spec.id, 'pgrep -x sleep >/dev/null && echo alive')).toBe('alive\n');
    await eventually(async () => !/builder/.test((await driver.engine.containers()).join()));
  });

  it('makes machines from it, with the right owners of files', async () => {
    await run(spec.id, 'echo two >~/note');
    const copies = ['cmp_2', 'cmp_3'];
    await Promise.all(copies.map((id) => driver.engine.create(like(id, snapshot))));
    await Promise.all(copies.map(start));
    for (const id of copies) expect(await run(id, LOOK)).toBe(LOOKED);
    // Each has an identity of its own.
    const identities = await Promise.all(
      [spec.id, ...copies].map((id) => run(id, 'cat /var/lib/vc/machine-id')),
    );
    expect(new Set(identities).size).toBe(3);
    expect(await run('cmp_2', 'hostname')).toBe('cmp-2\n');
  });

  it('resets a machine to it, and to the moment after its creation', async () => {
    const address = async () =>
      Object.values((await machinesOf(spec.id)).NetworkSettings.Networks)[0]?.IPAddress;
    const before = await address();
    const key = await run(spec.id, 'cat /var/lib/vc/ssh_host_ed25519_key.pub');
    await driver.engine.reset({ ...spec, from: snapshot });
    expect(await driver.engine.list()).toContainEqual({ id: spec.id, status: 'stopped' });
    await start(spec.id);
    expect(await run(spec.id, LOOK)).toBe(LOOKED);
    expect(await run(spec.id, 'cat /var/lib/vc/ssh_host_ed25519_key.pub')).toBe(key);
    expect(await run(spec.id, 'hostname')).toBe('desk\n');
    expect(await address()).toBe(before);
    await driver.engine.reset(spec);
    await start(spec.id);
    expect(await run(spec.id, 'ls ~/note 2>&1 >/dev/null; cat /etc/issue.net; id -un')).toMatch(
      /No such file.*\n.+\nuser\n$/,
    );
    expect((await machinesOf(spec.id)).Config.User).toBe(user);
    // Both once more: the first image is still known.
    await driver.engine.reset({ ...spec, from: snapshot });
    await driver.engine.reset(spec);
    await start(spec.id);
    expect(await run(spec.id, 'test -e ~/note || echo none')).toBe('none\n');
  });

  it('saves a saved disk as an image, which makes computers of other owners, with other users', async () => {
    const request = { ...image, ownerId: spec.ownerId, memory: false, of: snapshot };
    expect(await driver.engine.save(spec.id, request)).toMatchObject(image);
    const ofAnother = { ...like('cmp_4', image), ownerId: 'own_2' };
    await driver.engine.create(ofAnother);
    await start('cmp_4');
    const theirs = await userOf('cmp_4');
    if (isDocker) expect(theirs).not.toBe(user);
    expect(await run('cmp_4', LOOK)).toBe(LOOKED);
    await run('cmp_4', 'echo three >~/note');
    await driver.engine.reset(ofAnother);
    await start('cmp_4');
    expect(await run('cmp_4', LOOK)).toBe(LOOKED);
    expect(await userOf('cmp_4')).toBe(theirs);
    await driver.engine.remove('cmp_4');
    expect((await driver.engine.tags()).join()).not.toContain('cmp_4');
  });

  onDockerOrThorough(
    'keeps the data of a removed disk while machines need it, and no longer',
    async () => {
      await driver.engine.removeSaved(snapshot.id);
      await driver.engine.removeSaved(image.id);
      expect(await driver.engine.savedDisks()).toEqual([]);
      await expect(driver.engine.create(like('cmp_5', snapshot))).rejects.toMatchObject({
        code: 'not_found',
      });
      await driver.engine.remove('cmp_5');
      await driver.engine.stop('cmp_2', 1000);
      await start('cmp_2');
      expect(await run('cmp_2', LOOK)).toBe(LOOKED);
      // A copy of a copy, reset to what it was made from.
      const again = { id: 'snp_2', kind: 'snapshot' } as const;
      await driver.engine.save('cmp_2', { ...again, ownerId: spec.ownerId, memory: false });
      await driver.engine.create(like('cmp_6', again));
      await driver.engine.removeSaved(again.id);
      await driver.engine.reset({ ...like('cmp_6', again), from: undefined });
      await start('cmp_6');
      expect(await run('cmp_6', LOOK)).toBe(LOOKED);
      for (const id of ['cmp_2', 'cmp_3']) await driver.engine.remove(id);
      expect((await driver.engine.tags()).join()).toContain('vc-origin/cmp_6:latest');
      await driver.engine.remove('cmp_6');
      expect(await driver.engine.tags()).toEqual([]);
    },
  );

  (isDocker ? promise : promise.thorough)(
    31,
    'a killed service leaves nothing of a snapshot, and no machine paused',
    async () => {
      await run(spec.id, 'head -c 300M /dev/urandom >~/big; echo two >~/note');
      const request = {
        id: 'snp_3',
        kind: 'snapshot',
        ownerId: spec.ownerId,
        memory: false,
      } as const;
      const isPaused = async () => (await machinesOf(spec.id)).State.Paused;
      let pauses = 0;
      for (const wait of ['builder', 'paused', 'resumed']) {
        const saving = driver.engine.save(spec.id, request).catch(() => undefined);
        const hasBuilder = async () => /builder/.test((await driver.engine.containers()).join());
        // On Podman, a list of containers waits for a removal, by when the machine may run again.
        await eventually(wait === 'builder' ? hasBuilder : isPaused, 30_000);
        if (wait === 'resumed') await eventually(async () => !(await isPaused()), 30_000);
        await driver.restart();
        await saving;
        if (await isPaused()) pauses++;
        await driver.engine.watch();
        await eventually(async () => !(await hasBuilder()), 30_000);
        expect(await isPaused()).toBe(false);
        // Completed by the Engine, or not at all.
        await driver.engine.removeSaved(request.id);
        await eventually(async () => (await driver.engine.savedDisks()).length === 0, 30_000);
      }
      expect(pauses).toBeGreaterThan(0);
      expect((await driver.engine.save(spec.id, request)).bytes).toBeGreaterThan(300 * 2 ** 20);
      await driver.engine.reset({ ...spec, from: request });
      await start(spec.id);
      expect(await run(spec.id, 'cat ~/note; stat -c "%U %s" ~/big')).toBe('two\nuser 314572800\n');
    },
  );

  it('removal leaves no image and no container', async () => {
    for (const { id } of await driver.engine.list()) await driver.engine.remove(id);
    for (const { id } of await driver.engine.savedDisks()) await driver.engine.removeSaved(id);
    expect(await driver.engine.tags()).toEqual([]);
    expect((await driver.engine.containers()).filter((name) => /cmp_|builder/.test(name))).toEqual(
      [],
    );
  });
}
