import { access } from 'node:fs/promises';
import type { Environment } from '../../profile/index.js';
import { findProgram } from '../doctor/programs.js';
import type { EngineName } from '../engine-choice.js';

export interface Need {
  /** Program, or absolute path of a file, that shows that the package or one like it is there. */
  readonly sign: string;
  /** Debian's and Ubuntu's name of the package. */
  readonly name: string;
  readonly purpose: string;
}

const everywhere: readonly Need[] = [
  { sign: 'mmdebstrap', name: 'mmdebstrap', purpose: 'builds the image' },
  { sign: 'newuidmap', name: 'uidmap', purpose: 'builds the image as an ordinary user' },
  { sign: 'ffmpeg', name: 'ffmpeg', purpose: 'streams and records screens' },
];

/** What a host needs for an engine; each package only for what its purpose says. */
export const needs: Readonly<Record<EngineName, readonly Need[]>> = {
  docker: [
    { sign: 'dockerd', name: 'docker.io', purpose: 'runs the computers' },
    { sign: 'iptables', name: 'iptables', purpose: "Docker's networks" },
    ...everywhere,
  ],
  qemu: [
    { sign: 'qemu-system-x86_64', name: 'qemu-system-x86', purpose: 'runs the computers' },
    { sign: 'qemu-img', name: 'qemu-utils', purpose: 'their disks' },
    { sign: 'slirp4netns', name: 'slirp4netns', purpose: 'lets them reach the internet' },
    { sign: 'nft', name: 'nftables', purpose: 'keeps them off every other network' },
    { sign: 'ip', name: 'iproute2', purpose: 'sets their networks up' },
    { sign: 'socat', name: 'socat', purpose: 'reaches the SSH server of an imported disk' },
    { sign: 'unshare', name: 'util-linux', purpose: 'keeps them apart' },
    { sign: 'mke2fs', name: 'e2fsprogs', purpose: 'makes the disk of the image' },
    {
      sign: '/usr/share/OVMF/OVMF_CODE_4M.fd',
      name: 'ovmf',
      purpose: 'boots disks that need UEFI',
    },
    ...everywhere,
  ],
};

/** The packages that an engine lacks here. */
export async function missingPackages(engine: EngineName, env: Environment): Promise<Need[]> {
  const isThere = await Promise.all(needs[engine].map(({ sign }) => hasSign(sign, env)));
  return needs[engine].filter((_, index) => !isThere[index]);
}

async function hasSign(sign: string, env: Environment): Promise<boolean> {
  if (!sign.startsWith('/')) return (await findProgram(sign, env)) !== undefined;
  return access(sign).then(
    () => true,
    () => false,
  );
}
