// @module-tag slow
import { readFileSync, statSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type Desktop, openDesktop, untilRunning } from '../../support/service/desktop.js';

const engine = inject('engine');
const hasOwnKernel = engine === 'qemu';

let desktop: Desktop;
let neighbour: string;
beforeAll(async () => {
  desktop = await openDesktop();
  const path = `/projects/${desktop.project}/computers`;
  neighbour = (await desktop.service.http('POST', path, { name: 'neighbour' })).json.id;
  await untilRunning(desktop.service, neighbour);
});
afterAll(() => desktop?.close());

const bash = async (command: string, id = desktop.id) => {
  const { http } = desktop.service;
  return (await http('POST', `/computers/${id}/bash`, { command, timeout: 60 })).json;
};
const asRoot = (script: string) => bash(`sudo bash -c '${script}' 2>&1`);

/**
 * CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SYS_CHROOT, SETFCAP; on Docker also
 * AUDIT_WRITE.
 */
const CAPABILITIES: Readonly<Record<string, string>> = {
  docker: '00000000a00400fb',
  podman: '00000000800400fb',
};

promise(2, 'sudo gives the documented capabilities, to root only', async (report) => {
  expect((await asRoot('id -u; touch /usr/bin/new && ls -A /usr/bin/new')).stdout).toBe(
    '0\n/usr/bin/new\n',
  );
  const wanted = CAPABILITIES[engine];
  if (wanted === undefined) return;
  const { stdout } = await asRoot('grep ^CapEff /proc/self/status');
  expect(stdout.trim().split(/\s+/)).toEqual(['CapEff:', wanted]);
  expect(await desktop.run('grep ^CapEff /proc/self/status')).toMatch(/\s0{16}\n/);
  report(`root has ${wanted}`);
});

/** What root of a container may not do, as scripts that have to fail. */
const FORBIDDEN = [
  'mknod /var/tmp/disk b 8 0 && head -c 1 /var/tmp/disk',
  'mknod /var/tmp/memory c 1 1 && head -c 1 /var/tmp/memory',
  'for disk in /dev/sda /dev/vda /dev/nvme0n1; do mount $disk /mnt && exit; done; false',
  'echo 1 >/proc/sys/kernel/panic',
  'echo "|/tmp/x" >/proc/sys/kernel/core_pattern',
  'echo c >/proc/sysrq-trigger',
  'echo 1 >/sys/kernel/mm/ksm/run',
  'modprobe dummy',
  'date -s 2001-01-01',
];
/** Also these, except on LXD, where root may change its own namespaces. */
const FORBIDDEN_WITHOUT_NAMESPACE = [
  'dmesg',
  'hostname other',
  'mount -t tmpfs none /mnt',
  'unshare --mount true',
  'ip link add dummy0 type dummy',
  'ip address add 192.0.2.1/32 dev eth0',
  'python3 -c "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"',
];
const HOST_DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const HOST_SETTINGS = ['/proc/sys/kernel/panic', '/proc/sys/kernel/core_pattern'];

promise(33, 'mounts, devices and kernel settings are out of reach of root', async (report) => {
  const settings = () => HOST_SETTINGS.map((path) => readFileSync(path, 'utf8'));
  const before = settings();
  if (hasOwnKernel) {
    // They are those of its own kernel.
    for (const path of HOST_SETTINGS) await asRoot(`echo 17 >${path}`);
  } else {
    const scripts = [...FORBIDDEN, ...(engine === 'incus' ? [] : FORBIDDEN_WITHOUT_NAMESPACE)];
    for (const script of scripts) {
      expect((await asRoot(script)).exit_code, script).not.toBe(0);
    }
    report(`${scripts.length} ways`);
  }
  expect(settings()).toEqual(before);
});

promise(33, 'devices of the host belong to root of the host', () => {
  for (const name of HOST_DEVICES) expect(statSync(`/dev/${name}`).uid, name).toBe(0);
});

promise(
  33,
  'files and programs of the host and of other computers are out of reach of root',
  async () => {
    await bash('sleep 1007 >/dev/null 2>&1 & echo secret >/home/user/only-here', neighbour);
    expect((await asRoot('pgrep -f "sleep 100[7]"')).stdout).toBe('');
    expect((await asRoot('find / -name only-here -not -path "/proc/*" 2>/dev/null')).stdout).toBe(
      '',
    );
    // The programs of the tests run on the host.
    expect((await asRoot(`ls /proc/${process.pid}/cwd/vitest.config.ts`)).exit_code).not.toBe(0);
    expect((await asRoot('ps -eo args')).stdout).not.toContain('vitest');
  },
);

/** Takes all inotify instances that it gets, and holds them for a minute. */
const GREEDY =
  'import ctypes, time; libc = ctypes.CDLL(None); n = sum(libc.inotify_init1(0) >= 0 for _ in range(4096)); print(n, flush=True); time.sleep(60)';

/** Root of containers on Docker and LXD shares these limits with the host's; docs/security.md says so. */
promise.runIf(engine === 'podman' || hasOwnKernel)(
  26,
  'root in a computer cannot use up limits of root in another',
  async (report) => {
    await asRoot(`nohup python3 -c "${GREEDY}" >/tmp/taken 2>/dev/null &`);
    await desktop.until('test -s /tmp/taken');
    const taken = Number(await desktop.run('cat /tmp/taken'));
    expect(taken).toBeGreaterThanOrEqual(32);
    const modest =
      'sudo python3 -c "import ctypes; print(sum(ctypes.CDLL(None).inotify_init1(0) >= 0 for _ in range(32)))"';
    expect((await bash(modest, neighbour)).stdout).toBe('32\n');
    report(`root took ${taken} inotify instances`);
  },
);

/** Runs a program in the network of the engine's host; undefined where the tests cannot. */
function atHost(...args: string[]) {
  const podman = engine === 'podman' ? inject('podman').prefix : [];
  const pid = engine === 'docker' ? inject('dockerPid') : Number(podman[podman.indexOf('-t') + 1]);
  return pid > 0 ? execa('nsenter', ['-t', `${pid}`, '-n', ...args], { reject: false }) : undefined;
}

/** What root of a computer tries against the rules of its network. Each may fail. */
const AGAINST_RULES = [
  'nft flush ruleset',
  'iptables -F',
  'ip route add 10.0.0.0/8 dev eth0',
  'ip route add 169.254.169.254/32 dev eth0',
  'ip address add 10.213.255.254/16 dev eth0',
  'ip address add 192.168.0.2/24 dev eth0',
  'ip neigh flush all',
  'sysctl -w net.ipv4.ip_forward=1',
];

for (const number of [1, 27]) {
  promise(number, 'root reaches no more than others, whatever it changes', async (report) => {
    const words = (await desktop.run('ip -4 route show default')).split(/\s+/);
    const gateway = words[words.indexOf('via') + 1] ?? '';
    expect(gateway).toMatch(/^\d+(\.\d+){3}$/);
    const { stdout } = await bash(
      'python3 -m http.server 8000 >/dev/null 2>&1 & sleep 1; hostname -I',
      neighbour,
    );
    const other = stdout.trim().split(' ')[0];
    const server = atHost('python3', '-m', 'http.server', '18997', '-b', gateway);
    try {
      if (server !== undefined) {
        const page = ['curl', '-s', '-m', '2', `http://${gateway}:18997/`];
        await eventually(async () => (await atHost(...page))?.exitCode === 0, 20_000);
      }
      if (number === 27) for (const script of AGAINST_RULES) await asRoot(script);
      const { port } = new URL(desktop.service.baseUrl);
      const targets = [
        `${gateway}/18997`,
        `${gateway}/${port}`,
        `${gateway}/22`,
        '169.254.169.254/80',
        '10.0.0.1/80',
        '172.16.0.1/80',
        '192.168.0.1/80',
        '100.64.0.1/80',
        // QEMU gives every machine the same address, in a network of its own.
        ...(hasOwnKernel ? [] : [`${other}/8000`]),
      ];
      const reach = (target: string) =>
        `(timeout 3 bash -c "exec 3<>/dev/tcp/${target}" 2>/dev/null && echo ${target}) &`;
      expect((await asRoot(`${targets.map(reach).join(' ')} wait`)).stdout).toBe('');
      report(`${targets.length} addresses, as root`);
    } finally {
      server?.kill('SIGKILL');
    }
  });
}
