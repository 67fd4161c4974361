import { ApiError } from '../contract/errors.js';
import type { Engine } from '../engines/engine.js';

/**
 * The image that a new computer gets: the named one, or the system's own. Refuses with
 * `image_missing` when the engine does not have it, naming the command that makes it.
 */
export async function chooseImage(
  engine: Engine,
  os: 'linux' | 'windows',
  named: string | undefined,
): Promise<string> {
  if (!engine.features.os.includes(os)) {
    throw new ApiError('unsupported', `The engine "${engine.name}" cannot run os "${os}".`);
  }
  const images = await engine.images();
  const name = named ?? os;
  const image = images.find((candidate) => candidate.name === name);
  if (image === undefined) {
    const known = images.map((candidate) => candidate.name).join(', ') || 'none';
    const remedy =
      named === undefined ? `build it with "vc image build ${os}"` : `it has: ${known}`;
    throw new ApiError(
      'image_missing',
      `The engine "${engine.name}" has no image "${name}"; ${remedy}.`,
    );
  }
  if (image.os !== os) {
    throw new ApiError('invalid_request', `image "${name}" is for os "${image.os}", not "${os}".`);
  }
  return name;
}

/** GPUs are answered "coming soon" unless the engine has one to lend. */
export function refuseUnavailableGpu(engine: Engine, gpu: string): void {
  if (gpu === 'none' || engine.features.gpus.includes(gpu)) return;
  throw new ApiError('unsupported', `gpu "${gpu}" is coming soon; leave it out or use "none".`);
}
