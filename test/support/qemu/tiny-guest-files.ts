import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { defaultCacheDirectory } from '../../../src/images/cache.js';
import { type CpioEntry, cpio } from './cpio.js';

export interface GuestFiles {
  readonly kernel: string;
  readonly initrd: string;
}

/** Kernel modules for the network and volumes. */
export const MODULES = [
  'drivers/virtio/virtio_ring',
  'drivers/virtio/virtio',
  'drivers/virtio/virtio_pci_legacy_dev',
  'drivers/virtio/virtio_pci_modern_dev',
  'drivers/virtio/virtio_pci',
  'net/core/failover',
  'drivers/net/net_failover',
  'drivers/net/virtio_net',
  'fs/fuse/fuse',
  'fs/fuse/virtiofs',
];

/** Sends a greeting on port 22, then runs each line from the serial port as a command. */
const INIT = `#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
exec </dev/ttyS0 >/dev/ttyS0 2>&1
stty -echo
if grep -q vc.probe /proc/cmdline; then
  echo vc-probe-ok
  sleep 1
  poweroff -f
fi
for module in ${MODULES.map((path) => path.split('/').at(-1)).join(' ')}; do
  insmod /modules/$module.ko
done
ip link set lo up
ip address add 198.18.0.15/24 dev eth0
ip link set eth0 up
ip route add default via 198.18.0.2
echo nameserver 198.18.0.3 >/etc/resolv.conf
name=$(sed -n 's/.*vc.name=\\([a-z]*\\).*/\\1/p' /proc/cmdline)
nc -ll -p 22 -e echo "guest $name" &
echo '<<done 0>>'
while read -r line; do
  eval "$line"
  echo "<<done $?>>"
done
`;

/** Kernel and programs from Debian packages: the smallest guest with a network. */
export function guestFiles(): Promise<GuestFiles> {
  cached ??= make();
  return cached;
}

let cached: Promise<GuestFiles> | undefined;

async function make(): Promise<GuestFiles> {
  const cache = join(defaultCacheDirectory(), 'tests');
  const directory = join(cache, 'tiny-guest-2');
  const files = { kernel: join(directory, 'kernel'), initrd: join(directory, 'initrd') };
  if (await readFile(files.initrd).catch(() => undefined)) return files;
  await mkdir(cache, { recursive: true });
  const part = await mkdtemp(join(cache, 'part-'));
  try {
    const { stdout } = await execa('apt-cache', ['depends', 'linux-image-cloud-amd64']);
    const kernel = /Depends: (linux-image-\S+)/.exec(stdout)?.[1] ?? '';
    await execa('apt-get', ['download', kernel, 'busybox-static'], { cwd: part });
    await execa('sh', ['-c', 'for package in *.deb; do dpkg-deb -x "$package" root; done'], {
      cwd: part,
    });
    const root = join(part, 'root');
    const version = kernel.replace('linux-image-', '');
    await rename(join(root, 'boot', `vmlinuz-${version}`), join(part, 'kernel'));
    await writeFile(join(part, 'initrd'), cpio(await entries(root, version)));
    await rm(root, { recursive: true });
    await rename(part, directory);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return files;
}

async function entries(root: string, version: string): Promise<CpioEntry[]> {
  const modules = MODULES.map(async (path) => ({
    path: `modules/${path.split('/').at(-1)}.ko`,
    content: await readFile(join(root, 'lib/modules', version, 'kernel', `${path}.ko`)),
  }));
  return [
    ...['bin', 'dev', 'proc', 'etc', 'modules'].map((path) => ({ path })),
    { path: 'bin/busybox', content: await readFile(join(root, 'bin/busybox')) },
    { path: 'init', content: INIT },
    ...(await Promise.all(modules)),
  ];
}
