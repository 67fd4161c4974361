import { execa } from 'execa';

const MOST_MS = 10_000;

/** Version of a QEMU program as it says it, for example `7.2.22`. Throws when it cannot be run. */
export async function qemuVersion(program: string, signal?: AbortSignal): Promise<string> {
  const { stdout } = await execa(program, ['--version'], {
    timeout: MOST_MS,
    ...(signal ? { cancelSignal: signal } : {}),
  });
  const version = /version (\S+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${program} does not say its version`);
  return version;
}
