import { access, constants, stat } from 'node:fs/promises';

/** May every user of the host open /dev/net/tun? Undefined when there is none. */
export async function tunForAll(): Promise<boolean | undefined> {
  const found = await stat('/dev/net/tun').catch(() => undefined);
  return found && (found.mode & 0o006) === 0o006;
}

/** The group that may use KVM, undefined where a group is of no help. */
export async function kvmGroup(): Promise<number | undefined> {
  const found = await stat('/dev/kvm').catch(() => undefined);
  return found && found.gid !== 0 && (found.mode & 0o060) === 0o060 ? found.gid : undefined;
}

/** May this process read and write that file? Otherwise the reason, as the system names it. */
export async function unusable(path: string): Promise<string | undefined> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => undefined,
    (error) => String(error.code ?? error),
  );
}
