import { access, constants, stat } from 'node:fs/promises';
import { kvmGroup } from '../process/host.js';

const DEVICE = '/dev/kvm';

/** Why a machine's user could not even open /dev/kvm; undefined when it can. */
export async function kvmDevice(): Promise<string | undefined> {
  const found = await stat(DEVICE).catch(() => undefined);
  if (found === undefined) return `there is no ${DEVICE}`;
  if (process.getuid?.() === 0) {
    // Machines are not root's, see prepareDirectory.
    const open = (found.mode & 0o006) === 0o006 || (await kvmGroup()) !== undefined;
    return open ? undefined : `${DEVICE} is for root alone (sudo chmod 0666 ${DEVICE})`;
  }
  return access(DEVICE, constants.R_OK | constants.W_OK).then(
    () => undefined,
    () => `${DEVICE} may not be opened (sudo usermod -aG kvm $USER, then log in anew)`,
  );
}
