// @module-tag slow
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectSharedService, type ServiceClient, VC } from '../../support/service/service.js';

/** `vc setup --remove` in a mount namespace with its own /etc, on a host without Podman. */
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
for each in etc usr/bin; do
  name=$(basename $each)
  mkdir "$1/$name" "$1/$name-work"
  mount -t overlay overlay -o "lowerdir=/$each,upperdir=$1/$name,workdir=$1/$name-work" "/$each"
done
rm -f /usr/bin/podman
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
"$@"
echo --- >&2
"$@"
echo ---
cat /etc/subuid /etc/subgid
ls /etc/sysctl.d
grep ^docker: /etc/group
`;

it('ranges, settings and rights are taken back, once, and those of others stay', async () => {
  const state = join(service.directory, 'state');
  mkdirSync(state, { mode: 0o700, recursive: true });
  const user = 'removal-test';
  const grants = [
    { engine: 'podman', user, group: 'docker' },
    { engine: 'podman', user, ids: '900000-965535' },
  ];
  writeFileSync(join(state, 'setup.json'), JSON.stringify(grants));
  const command = [process.execPath, VC, 'setup', '--remove', '--engine', 'podman', '--yes'];
  const { stdout, stderr, exitCode } = await execa(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', PREPARE, 'sh', scratch, ...command],
    { env: service.env, extendEnv: false, reject: false },
  );
  expect(exitCode, stderr).toBe(0);
  const [first = '', second = ''] = stderr.split('---\n');
  expect(first).toContain("sed -i '/^containers:1000000000:500000000$/d' /etc/subuid\n");
  expect(first).toContain('packages stay, and the state in ');
  expect(second).toContain('there is nothing to remove');
  const [, left = ''] = stdout.split('---\n');
  expect(left).not.toContain('containers:');
  expect(left).not.toContain('900000');
  expect(left.match(/^other:1600000000:65536$/gm)).toHaveLength(2);
  expect(left).not.toContain('60-vc.conf');
  expect(left).toMatch(/^docker:/m);
  expect(left).not.toMatch(/^docker:.*removal-test/m);
});

it('an engine with a service keeps its images and rules', async () => {
  const engine = service.env.VC_ENGINE ?? '';
  const { code, stdout } = await service.cli(['setup', '--remove', '--dry-run', '--json']);
  const { removes, kept } = JSON.parse(stdout);
  expect(code).toBe(0);
  if (engine === 'docker') {
    expect(kept).toEqual([expect.stringMatching(/^Docker: (\d+ computers?|a service)$/)]);
    expect(removes).toEqual([]);
  }
});
