import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** A file system of a few MiB, which a test can fill. */
export interface SmallDisk {
  /** Its directory. */
  readonly path: string;
  /** Uses all free space; removing {@link filler} frees it. */
  fill(): void;
  readonly filler: string;
  close(): Promise<void>;
}

/**
 * Mounts a new ext4 file system, also in the mount namespace that `inEngine` enters. Fails where
 * that is not possible.
 */
export async function mountSmallDisk(
  mib: number,
  inEngine: readonly string[] = [],
): Promise<SmallDisk> {
  const path = mkdtempSync(join(tmpdir(), 'vc-full-'));
  const image = `${path}.img`;
  const remove = () => {
    rmSync(path, { recursive: true });
    rmSync(image, { force: true });
  };
  try {
    await run('truncate', `--size=${mib}M`, image);
    await run('mkfs.ext4', '-q', '-F', image);
    await run('mount', '-o', 'loop', image, path);
  } catch (error) {
    remove();
    throw error;
  }
  chmodSync(path, 0o700);
  const device = await run('findmnt', '--noheadings', '--output', 'SOURCE', path);
  if (inEngine.length > 0) await run(...inEngine, 'mount', device, path);
  const filler = join(path, 'filler');
  return {
    path,
    filler,
    fill: () => fill(filler),
    close: async () => {
      await run('umount', '--lazy', path);
      if (inEngine.length > 0) await run(...inEngine, 'umount', '--lazy', path);
      remove();
    },
  };
}

async function run(program = '', ...args: string[]): Promise<string> {
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  return (await execa(program, args, { env })).stdout;
}

function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [1 << 20, 1 << 12, 1]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}
