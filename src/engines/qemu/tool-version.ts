import { execa } from 'execa';
import { ApiError } from '../../contract/errors.js';

/** The oldest QEMU that supports every feature the engine uses. */
const MIN_MAJOR = 6;
const TIMEOUT_MS = 4_000;
const remedy = 'vc setup --engine qemu';

/**
 * The version of a program of QEMU, for example `7.2.22`. Throws `engine_unavailable` if it is
 * missing, does not run or is too old.
 */
export async function toolVersion(program: string, signal?: AbortSignal): Promise<string> {
  const result = await execa(program, ['--version'], {
    reject: false,
    timeout: TIMEOUT_MS,
    ...(signal && { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  const version = /version (\d+\.[\d.]+)/.exec(result.failed ? '' : result.stdout)?.[1];
  if (version === undefined) {
    const missing = result.code === 'ENOENT';
    const why = missing ? 'is not installed' : `does not run: ${result.shortMessage}`;
    throw new ApiError('engine_unavailable', `${program} ${why}`, { remedy, cause: result });
  }
  if (Number.parseInt(version, 10) >= MIN_MAJOR) return version;
  const message = `${program} ${version} is too old; ${MIN_MAJOR}.0 or newer is needed`;
  throw new ApiError('engine_unavailable', message, { remedy });
}
