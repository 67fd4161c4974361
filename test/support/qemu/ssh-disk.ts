import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { generateKeyPair } from '../../../src/shell/keys.js';
import { type CpioEntry, cpio } from './cpio.js';
import { guestFiles, MODULES } from './tiny-guest-files.js';
import { GRUB } from './toy-disk.js';

/** The user who can log in: unprivileged, with a home directory. */
export const SSH_USER = 'lab';

/** Debian packages of the system, besides its kernel and BusyBox. */
const PACKAGES = ['openssh-server', 'openssh-sftp-server', 'libwrap0', 'bash-static'];
const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

const INIT = `#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
ln -s /proc/self/fd /dev/fd
for name in 0/stdin 1/stdout 2/stderr; do ln -s /proc/self/fd/\${name%/*} /dev/\${name#*/}; done
mkdir -p /dev/pts /run/sshd /var/empty
mount -t devpts pts /dev/pts
chmod 1777 /tmp
chmod 755 / /etc /home
chmod 600 /etc/ssh/key
chown -R 1000:1000 /home/${SSH_USER}
for module in ${MODULES.map((path) => basename(path)).join(' ')}; do insmod /modules/$module.ko; done
ip link set lo up
ip link set eth0 up
hostname lab
udhcpc -i eth0 -s /etc/dhcp
/usr/sbin/sshd -f /etc/ssh/config -h /etc/ssh/key
while true; do sleep 3600; done
`;

const DHCP = `#!/bin/busybox sh
[ "$1" = bound ] || exit 0
ip address add "$ip/$mask" dev "$interface"
ip route add default via "$router"
`;

const SSHD = `UsePAM no
PasswordAuthentication no
Subsystem sftp /usr/lib/openssh/sftp-server
`;

const MENU = `set timeout=0
menuentry "lab" {
  linux /kernel quiet panic=-1
  initrd /initrd
}
`;

/**
 * Writes a disk with a system that is not one of our images: GRUB, Debian's kernel, DHCP and an
 * OpenSSH server, where {@link SSH_USER} can log in with that key. Needs no devices or privileges.
 */
export async function makeSshDisk(path: string, authorizedKey: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'vc-ssh-'));
  try {
    const base = await guestFiles();
    const system = cpio(await systemEntries(directory, authorizedKey));
    // Later files replace earlier ones.
    await writeFile(
      join(directory, 'initrd'),
      Buffer.concat([await readFile(base.initrd), system]),
    );
    await writeFile(join(directory, 'grub.cfg'), MENU);
    const core = join(directory, 'core.img');
    const where = ['-O', 'i386-pc', '-d', GRUB, '-p', '(hd0,msdos1)/boot/grub'];
    const modules = ['biosdisk', 'part_msdos', 'fat', 'linux', 'normal', 'configfile'];
    await execa('grub-mkimage', [...where, '-o', core, ...modules]);
    await writeFile(
      path,
      bootSectors(await readFile(join(GRUB, 'boot.img')), await readFile(core)),
    );
    await truncate(path, (FIRST_SECTOR + SECTORS) * 512);
    const volume = ['-i', `${path}@@${FIRST_SECTOR * 512}`];
    await execa('mformat', [...volume, '-T', String(SECTORS), '-h', '64', '-s', '32', '::']);
    await execa('mmd', [...volume, '::/boot', '::/boot/grub']);
    await execa('mcopy', [...volume, base.kernel, join(directory, 'initrd'), '::/']);
    await execa('mcopy', [...volume, join(directory, 'grub.cfg'), '::/boot/grub/']);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The partition: 64 MiB, starting at 1 MiB. */
const [FIRST_SECTOR, SECTORS] = [2048, 131_072];

/** The boot sector with a table of one FAT partition, followed by GRUB. */
function bootSectors(boot: Buffer, core: Buffer): Buffer {
  const entry = Buffer.alloc(16);
  entry.set([0x80, 0xfe, 0xff, 0xff, 0x0e, 0xfe, 0xff, 0xff]);
  entry.writeUInt32LE(FIRST_SECTOR, 8);
  entry.writeUInt32LE(SECTORS, 12);
  // In GRUB's boot sector, code for floppy disks is in the place of the table.
  boot.fill(0, 446, 510).set(entry, 446);
  return Buffer.concat([boot, core]);
}

async function systemEntries(directory: string, authorizedKey: string): Promise<CpioEntry[]> {
  await execa('apt-get', ['download', ...PACKAGES], { cwd: directory });
  await execa('sh', ['-c', 'for package in *.deb; do dpkg-deb -x "$package" root; done'], {
    cwd: directory,
  });
  const root = join(directory, 'root');
  const wanted = ['usr/sbin/sshd', 'usr/lib/openssh/sftp-server'];
  // Newer servers handle connections in these programs.
  const newer = ['usr/lib/openssh/sshd-session', 'usr/lib/openssh/sshd-auth'];
  const programs = [...wanted, ...newer.filter((path) => existsSync(join(root, path)))];
  const libraries = await Promise.all(programs.map((path) => librariesOf(root, path)));
  const home = `home/${SSH_USER}`;
  const folders = ['lib64', 'usr', 'usr/sbin', 'usr/lib', 'usr/lib/openssh', LIBRARIES];
  folders.push('sys', 'run', 'var', 'tmp', 'etc/ssh', 'home', home, `${home}/.ssh`);
  return [
    ...folders.map((path) => ({ path })),
    ...(await Promise.all(programs.map((path) => file(path, join(root, path))))),
    ...new Map(libraries.flat().map((entry) => [entry.path, entry])).values(),
    await file('bin/bash', join(root, 'bin/bash-static')),
    { path: 'init', content: INIT },
    { path: 'etc/dhcp', content: DHCP },
    { path: 'etc/ssh/config', content: SSHD },
    { path: 'etc/ssh/key', content: generateKeyPair().privateKey },
    { path: `${home}/.ssh/authorized_keys`, content: `${authorizedKey}\n` },
    {
      path: 'etc/passwd',
      content: `root:*:0:0:root:/:/bin/sh\nsshd:*:101:65534::/run/sshd:/bin/false\n${SSH_USER}:*:1000:1000::/${home}:/bin/bash\n`,
    },
    { path: 'etc/group', content: `root:*:0:\nnogroup:*:65534:\n${SSH_USER}:*:1000:\n` },
  ];
}

async function file(path: string, from: string): Promise<CpioEntry> {
  return { path, content: await readFile(from) };
}

/** The loader and libraries of a program, from the packages or else from this host. */
async function librariesOf(root: string, program: string): Promise<CpioEntry[]> {
  const env = { LD_LIBRARY_PATH: join(root, LIBRARIES) };
  const { stdout } = await execa('ldd', [join(root, program)], { env });
  if (stdout.includes('not found')) throw new Error(`libraries are missing: ${stdout}`);
  const paths = [...stdout.matchAll(/(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
  return Promise.all(
    paths.map(async (path) => {
      const isLoader = path.startsWith('/lib64/');
      return file(
        isLoader ? path.slice(1) : `${LIBRARIES}/${basename(path)}`,
        await realpath(path),
      );
    }),
  );
}
