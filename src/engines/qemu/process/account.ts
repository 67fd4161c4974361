import { randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, chown, lchown, mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openOwn, readOwn } from './own-file.js';

/** Who a machine's QEMU runs as: the service's own user, or for a service of root's one of its own. */
export interface Account {
  readonly kind: 'own' | 'machine';
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user ids that machines get, one each, without any user being made.
 *
 * Above the ranges of distributions (0 to 65,535), of containers and subordinate ids (100,000 to
 * 1,879,048,191), of dynamic directory mappings (200,000 to 2,000,200,000), and below systemd's
 * foreign ids (2,147,352,576). An id is drawn at random and kept in the machine's directory: so
 * that of another service's machine on the same host is a different one as well.
 */
const FIRST_UID = 2_100_000_000;
const END_UID = 2_147_000_000;

/**
 * Makes a machine's directory, or finds it, and says who it belongs to. Idempotent.
 *
 * Where the service is root, QEMU may make files in there but not replace those of the service
 * (mode 1770, group of the machine's own); else it is the service's alone.
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
    const message = `user id ${own} cannot be used here: this root is confined to fewer (user namespace)`;
    throw cause.code === 'EINVAL' ? new Error(message, { cause }) : cause;
  });
  await chmod(directory, 0o1770);
  return { kind: 'machine', uid: own, gid: own };
}

/** Lets the machine's QEMU write files that the service has made. */
export async function giveToMachine(account: Account, ...paths: string[]): Promise<void> {
  if (account.kind === 'own') return;
  await Promise.all(paths.map((path) => lchown(path, account.uid, account.gid)));
}

async function allocate(directory: string): Promise<number> {
  const parent = dirname(directory);
  const taken = new Set(
    await Promise.all((await readdir(parent)).map((name) => uidOf(join(parent, name)))),
  );
  let uid = randomInt(FIRST_UID, END_UID);
  while (taken.has(uid)) uid = randomInt(FIRST_UID, END_UID);
  const file = await openOwn(join(directory, 'uid'), constants.O_WRONLY | constants.O_TRUNC);
  try {
    await file.writeFile(`${uid}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return uid;
}

async function uidOf(directory: string): Promise<number | undefined> {
  const text = await readOwn(join(directory, 'uid'), 64);
  const uid = Number(text?.trim() || Number.NaN);
  return uid >= FIRST_UID && uid < END_UID ? uid : undefined;
}
