// @module-tag slow
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectSharedService, type ServiceClient, VC } from '../../support/service/service.js';

/** `vc setup --remove` in a mount namespace with its own /etc, on a host without engines. */
let service: ServiceClient & { close(): Promise<void> };
let scratch: string;
beforeEach(() => {
  service = connectSharedService();
  scratch = mkdtempSync(join(tmpdir(), 'vc-removal-'));
});
afterEach(async () => {
  await service.close();
  rmSync(scratch, { recursive: true });
});

const PREPARE = `set -e
mount -t tmpfs tmpfs "$1"
for each in etc usr/bin usr/sbin; do
  name=$(basename $each)
  mkdir "$1/$name" "$1/$name-work"
  mount -t overlay overlay -o "lowerdir=/$each,upperdir=$1/$name,workdir=$1/$name-work" "/$each"
done
for each in /usr/libexec/incus /opt/incus; do
  [ ! -d $each ] || mount -t tmpfs tmpfs $each
done
for program in podman lxd qemu-system-x86_64 dockerd; do
  rm -f "/usr/bin/$program" "/usr/sbin/$program"
done
useradd -M removal-test
groupadd -f docker
usermod -aG docker --add-subuids 900000-965535 --add-subgids 900000-965535 removal-test
for file in /etc/subuid /etc/subgid; do
  sed -i /^containers:/d $file
  printf 'containers:1000000000:500000000\\nother:1600000000:65536\\n' >>$file
done
mkdir -p /etc/sysctl.d
echo fs.inotify.max_user_instances=8192 >/etc/sysctl.d/60-vc.conf
shift
mv /usr/sbin/usermod /usr/sbin/usermod.away
ln -s /bin/false /usr/sbin/usermod
! "$@" --engine auto
cat "$VC_STATE_DIR/setup.json"
mv /usr/sbin/usermod.away /usr/sbin/usermod
for engine in podman auto auto; do
  echo --- >&2
  "$@" --engine $engine
  echo ---
  cat /etc/subuid /etc/subgid
done
ls /etc/sysctl.d
grep ^docker: /etc/group
`;

it('ranges, settings and rights are taken back, once, and those of others stay', async () => {
  const state = join(service.directory, 'state');
  mkdirSync(state, { mode: 0o700, recursive: true });
  const user = 'removal-test';
  const group = { engine: 'podman', user, group: 'docker' };
  const ids = { engine: 'podman', user, ids: '900000-965535' };
  // The user is in one of the groups, which is recorded twice.
  const grants = [group, { ...group, group: 'audio' }, { ...group, engine: 'docker' }, ids];
  writeFileSync(join(state, 'setup.json'), JSON.stringify(grants));
  const command = [process.execPath, VC, 'setup', '--remove', '--yes'];
  const { stdout, stderr, exitCode } = await execa(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', PREPARE, 'sh', scratch, ...command],
    {
      env: { ...service.env, PATH: '/usr/bin:/usr/sbin', DOCKER_HOST: 'unix:///nonexistent' },
      ...{ extendEnv: false, reject: false },
    },
  );
  expect(exitCode, stderr).toBe(0);
  const [failed = '', named, whole, again] = stderr.split('---\n');
  expect(failed).toContain("sed -i '/^containers:1000000000:500000000$/d' /etc/subuid\n");
  expect(failed).toContain('error: this failed: usermod --del-subuids 900000-965535');
  expect(failed).toContain('run vc setup --remove again');
  expect(named).toContain('there is nothing to remove');
  expect(whole).toContain('packages stay, and the state in ');
  expect(again).toContain('there is nothing to remove');
  const [recorded = '', kept, , left = ''] = stdout.split('---\n');
  expect(JSON.parse(recorded)).toEqual([ids]);
  expect(kept).toContain('removal-test:900000:65536');
  expect(left).not.toContain('containers:');
  expect(left).not.toContain('900000');
  expect(left.match(/^other:1600000000:65536$/gm)).toHaveLength(2);
  expect(left).not.toContain('60-vc.conf');
  expect(left).toMatch(/^docker:/m);
  expect(left).not.toMatch(/^docker:.*removal-test/m);
});

it('an engine with a service keeps its images and rules', async () => {
  const { code, stdout } = await service.cli(['setup', '--remove', '--dry-run', '--json']);
  const { removes, kept } = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(kept).toEqual([expect.stringMatching(/^Docker: (\d+ computers?|a service)$/)]);
  expect(removes).toEqual([]);
});
