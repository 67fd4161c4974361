import { constants, stat } from 'node:fs/promises';
import { canAccess } from '../../../lib/fs/access.js';

const KVM = '/dev/kvm';
const TUN = '/dev/net/tun';
const READ_WRITE = constants.R_OK | constants.W_OK;

/** Why guests do not run under KVM, and the command that fixes it if there is one. */
export interface KvmProblem {
  readonly reason: string;
  readonly remedy?: string | undefined;
}

/** Whether every user may open /dev/net/tun; undefined if the device does not exist. */
export async function isTunWorldAccessible(): Promise<boolean | undefined> {
  const found = await stat(TUN).catch(() => undefined);
  return found && (found.mode & 0o006) === 0o006;
}

/** True if this process may open /dev/net/tun. */
export async function canOpenTun(): Promise<boolean> {
  return canAccess(TUN, READ_WRITE);
}

/** The group that may use KVM; undefined if membership of a group does not help. */
export async function kvmGroup(): Promise<number | undefined> {
  const found = await stat(KVM).catch(() => undefined);
  return found && found.gid !== 0 && (found.mode & 0o060) === 0o060 ? found.gid : undefined;
}

/** Why a machine's user cannot open /dev/kvm; undefined if it can. */
export async function kvmAccessProblem(): Promise<KvmProblem | undefined> {
  const found = await stat(KVM).catch(() => undefined);
  if (found === undefined) return { reason: `${KVM} does not exist` };
  if (process.getuid?.() === 0) {
    // A root service runs each machine as its own user, see prepareDirectory.
    const open = (found.mode & 0o006) === 0o006 || (await kvmGroup()) !== undefined;
    if (open) return undefined;
    return { reason: `only root may open ${KVM}`, remedy: `sudo chmod 0666 ${KVM}` };
  }
  if (await canAccess(KVM, READ_WRITE)) return undefined;
  const remedy = 'sudo usermod -aG kvm "$USER", then log in again';
  return { reason: `permission denied on ${KVM}`, remedy };
}
