import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canAccess } from '../../lib/fs/access.js';
import { count } from '../../lib/text/count.js';
import type { EngineSetup } from '../descriptor.js';
import { isInGroup } from '../local-host.js';
import { Layout } from './layout.js';

export const qemuSetup: EngineSetup = {
  removal: {
    usedBy: async (stateDirectory) => {
      const { machines } = new Layout(join(stateDirectory, 'qemu'));
      const { length } = await readdir(machines).catch(() => []);
      return length === 0 ? undefined : count(length, 'computer');
    },
  },
  packages: [
    { sign: 'qemu-system-x86_64', name: 'qemu-system-x86', purpose: 'runs the computers' },
    { sign: 'qemu-img', name: 'qemu-utils', purpose: 'their disks' },
    { sign: 'slirp4netns', name: 'slirp4netns', purpose: 'lets them reach the internet' },
    { sign: 'nft', name: 'nftables', purpose: 'keeps them off every other network' },
    { sign: 'ip', name: 'iproute2', purpose: 'sets up their networks' },
    {
      sign: 'dnsmasq',
      name: 'dnsmasq-base',
      purpose: 'resolves the domains that a computer may reach',
    },
    { sign: 'socat', name: 'socat', purpose: 'reaches the SSH server of an imported disk' },
    { sign: 'unshare', name: 'util-linux', purpose: 'isolates them' },
    { sign: 'zstd', name: 'zstd', purpose: 'compresses the memory of snapshots' },
    { sign: 'mke2fs', name: 'e2fsprogs', purpose: 'makes the disk of the image' },
    {
      sign: '/usr/share/OVMF/OVMF_CODE_4M.fd',
      name: 'ovmf',
      purpose: 'boots disks that need UEFI',
    },
  ],
  grants: async (user) => {
    if (!(await canAccess('/dev/kvm')) || (await isInGroup(user, 'kvm'))) return [];
    return [
      {
        title: `Letting ${user} use KVM, which makes virtual machines fast`,
        argv: ['usermod', '-aG', 'kvm', user],
        group: 'kvm',
      },
    ];
  },
};
