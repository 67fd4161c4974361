import { constants } from 'node:fs';
import { chmod, chown, lchown, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { allocateId, idsOfHost, isIn, USER_IDS } from '../../user-ids.js';
import { openOwnFile, readOwnFile } from './own-file.js';

/** The user that a machine's QEMU runs as: the service's own, or one per machine if that is root. */
export interface Account {
  readonly kind: 'own' | 'machine';
  readonly uid: number;
  readonly gid: number;
}

/**
 * Creates a machine's directory and account unless they exist.
 *
 * Under a root service QEMU may create files in the directory but not replace the service's (mode
 * 1770, the machine's group); otherwise only the service's user has access.
 */
export async function prepareDirectory(directory: string): Promise<Account> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) {
    await chmod(directory, 0o700);
    return { kind: 'own', uid, gid: process.getgid?.() ?? uid };
  }
  const own = (await uidOf(directory)) ?? (await allocate(directory));
  await chown(directory, 0, own).catch((cause) => {
    const message = `user id ${own} is not mapped in this user namespace`;
    throw cause.code === 'EINVAL' ? new Error(message, { cause }) : cause;
  });
  await chmod(directory, 0o1770);
  return { kind: 'machine', uid: own, gid: own };
}

/** Makes the machine's user the owner of files that the service created, so that QEMU can write them. */
export async function chownToMachine(account: Account, ...paths: string[]): Promise<void> {
  if (account.kind === 'own') return;
  await Promise.all(paths.map((path) => lchown(path, account.uid, account.gid)));
}

async function allocate(directory: string): Promise<number> {
  const parent = dirname(directory);
  const [isOfHost, ...others] = await Promise.all([
    idsOfHost(),
    ...(await readdir(parent)).map((name) => uidOf(join(parent, name))),
  ]);
  const uid = allocateId(USER_IDS.qemu, (id) => others.includes(id) || isOfHost(id));
  const file = await openOwnFile(join(directory, 'uid'), constants.O_WRONLY | constants.O_TRUNC);
  try {
    await file.writeFile(`${uid}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return uid;
}

async function uidOf(directory: string): Promise<number | undefined> {
  const text = await readOwnFile(join(directory, 'uid'), 64);
  const uid = Number(text?.trim() || Number.NaN);
  return isIn(USER_IDS.qemu, uid) ? uid : undefined;
}
