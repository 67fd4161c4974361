import { afterAll, beforeAll, expect, inject } from 'vitest';
import { promise } from '../../support/run/promise.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

const engine = inject('engine');
/**
 * CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SYS_CHROOT, SETFCAP; on Docker also
 * AUDIT_WRITE.
 */
const CAPABILITIES: Record<string, string> = {
  docker: '00000000a00400fb',
  podman: '00000000800400fb',
};

const bash = async (command: string) => {
  const { http } = desktop.service;
  return (await http('POST', `/computers/${desktop.id}/bash`, { command, timeout: 60 })).json;
};

promise(2, 'root in a computer can install programs, and nothing of the host is its', async () => {
  expect(await desktop.run('sudo -n id -u; sudo touch /usr/bin/new && ls -A /usr/bin/new')).toBe(
    '0\n/usr/bin/new\n',
  );
  if (engine === 'qemu') return;
  const wanted = CAPABILITIES[engine];
  if (wanted !== undefined) {
    const status = await desktop.run('sudo grep -h ^CapEff /proc/self/status');
    expect(status.trim().split(/\s+/)).toEqual(['CapEff:', wanted]);
    expect(await desktop.run('grep -h ^CapEff /proc/self/status')).toMatch(/\s0{16}\n/);
    for (const command of ['mount -t tmpfs none /mnt', 'ip link add dummy0 type dummy']) {
      expect((await bash(`sudo ${command}`)).exit_code, command).not.toBe(0);
    }
  }
  for (const command of [
    'sh -c "mknod /var/tmp/disk b 8 0 && head -c 1 /var/tmp/disk"',
    'sh -c "echo 1 >/proc/sys/kernel/panic"',
    'sh -c "echo c >/proc/sysrq-trigger"',
  ]) {
    expect((await bash(`sudo ${command}`)).exit_code, command).not.toBe(0);
  }
});
