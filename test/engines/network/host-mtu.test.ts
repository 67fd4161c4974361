import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { smallHostMtu } from '../../../src/engines/network/host-mtu.js';

const HEAD = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
const route = (name: string, to: string, mask: string, metric: number) =>
  `${name}\t${to}\t0101A8C0\t0003\t0\t0\t${metric}\t${mask}\t0\t0\t0`;

/** A file system with these routes, and interfaces with these MTUs. */
function host(routes: readonly string[], mtus: Readonly<Record<string, number>>): string {
  const root = mkdtempSync(join(tmpdir(), 'vc-mtu-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'proc/net'), { recursive: true });
  writeFileSync(join(root, 'proc/net/route'), `${[HEAD, ...routes].join('\n')}\n`);
  for (const [name, mtu] of Object.entries(mtus)) {
    mkdirSync(join(root, 'sys/class/net', name), { recursive: true });
    writeFileSync(join(root, 'sys/class/net', name, 'mtu'), `${mtu}\n`);
  }
  return root;
}

const MTUS = { eth0: 1500, tun0: 1400, lan: 900 };

it('is that of the default route with the lowest metric, if it is smaller than usual', () => {
  const local = route('lan', '0001A8C0', '00FFFFFF', 0);
  const through = (...metrics: [string, number][]) =>
    smallHostMtu(
      host([local, ...metrics.map(([name, at]) => route(name, '00000000', '00000000', at))], MTUS),
    );
  expect(through(['eth0', 100], ['tun0', 50])).toBe(1400);
  expect(through(['eth0', 50], ['tun0', 100])).toBeUndefined();
  expect(through(['lan', 0])).toBe(1280);
  expect(through(['gone', 0])).toBeUndefined();
  expect(through()).toBeUndefined();
});

it('is that of a VPN with routes that are more specific than the default route', () => {
  const routes = [
    route('eth0', '00000000', '00000000', 0),
    route('tun0', '00000000', '00000080', 50),
    route('tun0', '00000080', '00000080', 50),
  ];
  expect(smallHostMtu(host(routes, MTUS))).toBe(1400);
});

it('is unknown where the files are missing', () => {
  expect(smallHostMtu('/nonexistent')).toBeUndefined();
});
