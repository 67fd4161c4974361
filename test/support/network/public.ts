import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { eventually } from '../eventually.js';

/** A network behind an engine, with addresses that count as public, and a private one. */
export interface PublicNetwork {
  /** Runs a program in the engine's network namespace. */
  atEngine(...command: readonly string[]): Promise<string>;
  /** Addresses to which packets were sent since the beginning. */
  seen(): Promise<string[]>;
  close(): Promise<void>;
}

/** Every address answers `public` on every port in use, and port 7 repeats what it is sent. */
const PORTS = [80, 81, 5432, 8080];
/** Port 9 reads all that it is sent, port 19 sends zeros without end. */
export const SPEED = [
  ['-u', 'TCP4-LISTEN:9,fork,reuseaddr', 'OPEN:/dev/null,wronly'],
  ['-U', 'TCP4-LISTEN:19,fork,reuseaddr', 'OPEN:/dev/zero,rdonly'],
] as const;
const NETWORKS = ['192.0.2.0/24', '198.51.100.0/24', '10.99.0.0/24'];
/** A name server that answers everybody, in that network. */
export const OTHER_RESOLVER = '192.0.2.53';

/**
 * Connects a network to the namespace of process `pid`, and answers the queries to the host's name
 * servers there with `records`, lines of dnsmasq's configuration.
 */
export async function openPublicNetwork(
  pid: number,
  records: readonly string[],
): Promise<PublicNetwork> {
  const name = `vcpub${process.pid}`;
  const directory = mkdtempSync(join(tmpdir(), 'vc-public-'));
  const children: ChildProcess[] = [];
  const atEngine = async (...command: readonly string[]) =>
    (await execa('nsenter', ['-t', `${pid}`, '-n', ...command])).stdout;
  const outside = async (...command: readonly string[]) =>
    (await execa('ip', ['netns', 'exec', name, ...command])).stdout;
  const keep = (command: readonly string[]) => {
    const [program = '', ...args] = command;
    children.push(spawn(program, args, { stdio: 'ignore' }));
  };
  const resolvers = hostResolvers();
  const close = async () => {
    for (const child of children) child.kill('SIGKILL');
    await execa('ip', ['netns', 'del', name]).catch(() => undefined);
    for (const address of resolvers) {
      await atEngine('ip', 'address', 'del', `${address}/32`, 'dev', 'lo').catch(() => undefined);
    }
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await execa('ip', ['netns', 'add', name]);
    await execa('ip', [
      'link',
      'add',
      'vcp0',
      'netns',
      `${pid}`,
      'type',
      'veth',
      'peer',
      'name',
      'vcp1',
      'netns',
      name,
    ]);
    await atEngine('ip', 'address', 'add', '192.0.2.1/30', 'dev', 'vcp0');
    await atEngine('ip', 'link', 'set', 'vcp0', 'up');
    await outside('ip', 'address', 'add', '192.0.2.2/30', 'dev', 'vcp1');
    for (const device of ['lo', 'vcp1']) await outside('ip', 'link', 'set', device, 'up');
    await outside('ip', 'route', 'add', 'default', 'via', '192.0.2.1');
    for (const network of NETWORKS) {
      await atEngine('ip', 'route', 'add', network, 'via', '192.0.2.2');
      await outside('ip', 'route', 'add', 'local', network, 'dev', 'lo');
    }
    await outside(
      'nft',
      'table ip t {\nset seen { type ipv4_addr; size 1000; flags dynamic; }\nchain c {\ntype filter hook prerouting priority 0; iifname vcp1 add @seen { ip daddr }\n}\n}',
    );
    for (const port of PORTS) {
      keep([
        'ip',
        'netns',
        'exec',
        name,
        'socat',
        `TCP4-LISTEN:${port},fork,reuseaddr`,
        'SYSTEM:echo public',
      ]);
    }
    keep(['ip', 'netns', 'exec', name, 'socat', 'TCP4-LISTEN:7,fork,reuseaddr', 'EXEC:cat']);
    for (const line of SPEED) keep(['ip', 'netns', 'exec', name, 'socat', ...line]);
    const settings = ['no-hosts', 'no-resolv', 'pid-file=', 'bind-interfaces', ...records];
    for (const address of resolvers)
      await atEngine('ip', 'address', 'add', `${address}/32`, 'dev', 'lo');
    const file = join(directory, 'dnsmasq.conf');
    writeFileSync(file, `${settings.join('\n')}\n`);
    const server = [
      'dnsmasq',
      '--keep-in-foreground',
      '--user=root',
      '--group=',
      '--log-facility=/dev/null',
      `--conf-file=${file}`,
    ];
    keep([
      'nsenter',
      '-t',
      `${pid}`,
      '-n',
      ...server,
      ...resolvers.map((each) => `--listen-address=${each}`),
    ]);
    keep(['ip', 'netns', 'exec', name, ...server, `--listen-address=${OTHER_RESOLVER}`]);
    await eventually(async () => (await atEngine('ss', '-lnu')).includes(':53'), 10_000);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    atEngine,
    seen: async () => {
      const { stdout } = await execa('ip', [
        'netns',
        'exec',
        name,
        'nft',
        '-j',
        'list',
        'set',
        'ip',
        't',
        'seen',
      ]);
      const { nftables } = JSON.parse(stdout) as { nftables: { set?: { elem?: string[] } }[] };
      return nftables.flatMap(({ set }) => set?.elem ?? []);
    },
    close,
  };
}

/** Those that the engine asks. */
function hostResolvers(): string[] {
  const text = readFileSync('/etc/resolv.conf', 'utf8');
  return [...text.matchAll(/^\s*nameserver\s+(\d[\d.]+)/gm)].map((match) => match[1] ?? '');
}
