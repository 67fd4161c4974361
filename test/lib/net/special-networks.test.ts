import { describe, expect, it } from 'vitest';
import { isPublicAddress, SPECIAL_IPV4_NETWORKS } from '../../../src/lib/net/special-networks.js';
import { promise } from '../../support/run/promise.js';

promise(9, 'public and special addresses are distinguished', (report) => {
  const open = ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '172.15.0.1', '100.128.0.1'];
  const closed = [
    ...['127.0.0.1', '127.255.0.3', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255'],
    ...['192.168.0.1', '169.254.169.254', '100.64.0.1', '198.18.0.1', '192.0.2.1', '224.0.0.1'],
    ...['255.255.255.255', '240.0.0.1', '::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1'],
    ...['::ffff:8.8.8.8', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1'],
    ...['2001::1', '::127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', 'fe80::1%eth0', '::1%lo'],
    ...['example.com', ''],
  ];
  for (const address of open) expect(isPublicAddress(address), address).toBe(true);
  for (const address of closed) expect(isPublicAddress(address), address).toBe(false);
  report(`${closed.length} special addresses`);
});

describe('every special network', () => {
  it.each(SPECIAL_IPV4_NETWORKS)('%s is special from its first address to its last', (network) => {
    const [first = '', bits] = network.split('/');
    const base = first.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
    const last = base + 2 ** (32 - Number(bits)) - 1;
    const text = [24, 16, 8, 0].map((shift) => Math.floor(last / 2 ** shift) % 256).join('.');
    expect(isPublicAddress(first)).toBe(false);
    expect(isPublicAddress(text)).toBe(false);
  });

  it.each([
    ...['::1', '::ffff:8.8.8.8', '64:ff9b::808:808', '64:ff9b:1::1', '100::1', '2001::1'],
    ...['2001:1ff:ffff::1', '2001:db8::1', '2002::1', '3fff::1', '5f00::1', 'fc00::1', 'fe80::1'],
    ...['fec0::1', 'ff02::1'],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
