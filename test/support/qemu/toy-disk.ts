import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** From the Debian package grub-pc-bin. */
export const GRUB = '/usr/lib/grub/i386-pc';
const MODULES = ['memdisk', 'tar', 'normal', 'configfile', 'biosdisk', 'echo', 'sleep', 'minicmd'];
const MENU = `set timeout=-1
set color_normal=white/blue
menuentry "first" { clear; echo FIRST; sleep 3600 }
menuentry "second" { clear; echo SECOND; sleep 3600 }
`;

/**
 * Writes a disk that is not one of our images: GRUB with a menu of two entries, which waits for keys.
 * Needs no devices or privileges.
 */
export async function makeToyDisk(path: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'vc-toy-'));
  try {
    mkdirSync(join(directory, 'boot/grub'), { recursive: true });
    writeFileSync(join(directory, 'boot/grub/grub.cfg'), MENU);
    const [memory, core] = [join(directory, 'memory.tar'), join(directory, 'core.img')];
    await execa('tar', ['-C', directory, '-cf', memory, 'boot']);
    const where = ['-O', 'i386-pc', '-d', GRUB, '-p', '(memdisk)/boot/grub'];
    await execa('grub-mkimage', [...where, '-m', memory, '-o', core, ...MODULES]);
    // The boot sector loads the sectors after it.
    const sectors = [readFileSync(join(GRUB, 'boot.img')), readFileSync(core)];
    writeFileSync(path, Buffer.concat(sectors));
    truncateSync(path, 2 ** 21);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
