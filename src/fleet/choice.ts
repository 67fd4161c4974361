import { DEFAULT_IMAGES } from '../contract/default-images.js';
import { ApiError } from '../contract/errors.js';
import type { Engine, EngineImage } from '../engines/engine.js';

type Os = 'linux' | 'windows';

/** What a creation says of where its computer is to run; what is left out is chosen. */
export interface Wanted {
  readonly engine?: string | undefined;
  readonly image?: string | undefined;
  readonly os?: Os | undefined;
}

/** Where a new computer runs, and from what. */
export interface Place {
  readonly engine: Engine;
  readonly image: string;
  readonly os: Os;
}

/** The engines that new computers may get, the preferred one first, and a named one of them. */
export interface Offer {
  readonly offered: readonly Engine[];
  offeredEngine(name: string): Engine;
}

/**
 * The engine and the image of a new computer. The image is the named one, else the system's own;
 * the engine is the named one, else the first in order of preference that has the image. Refuses
 * with `image_missing`, naming the command that makes it, or with `engine_unavailable` when what
 * would have to be asked is away: a computer never lands elsewhere because of a hiccup.
 */
export async function choosePlace(offer: Offer, wanted: Wanted): Promise<Place> {
  if (wanted.engine !== undefined) return namedPlace(offer.offeredEngine(wanted.engine), wanted);
  const able = offer.offered.filter(({ features }) => runs(features.os, wanted.os));
  const [preferred, ...others] = able.length > 0 ? able : offer.offered;
  if (preferred === undefined) throw new Error('the service has no engine');
  refuseSystem(preferred, wanted.os);
  const images = await preferred.images();
  const image = find(images, wanted);
  if (image) return place(preferred, image, wanted);
  for (const engine of others) {
    const found = find(await imagesIfUsable(engine), wanted);
    if (found) return place(engine, found, wanted);
  }
  throw await missing(preferred, images, wanted);
}

async function namedPlace(engine: Engine, wanted: Wanted): Promise<Place> {
  refuseSystem(engine, wanted.os);
  const images = await engine.images();
  const image = find(images, wanted);
  if (image) return place(engine, image, wanted);
  throw await missing(engine, images, wanted);
}

function place(engine: Engine, image: EngineImage, { os }: Wanted): Place {
  if (os !== undefined && image.os !== os) {
    const message = `image "${image.name}" is for os "${image.os}", not "${os}".`;
    throw new ApiError('invalid_request', message);
  }
  return { engine, image: image.name, os: image.os };
}

function find(images: readonly EngineImage[], { image, os }: Wanted): EngineImage | undefined {
  return images.find(({ name }) => name === (image ?? DEFAULT_IMAGES[os ?? 'linux']));
}

/** None of an engine that cannot be used at present: it is not chosen then. */
async function imagesIfUsable(engine: Engine): Promise<EngineImage[]> {
  try {
    return (await engine.probe()).usable ? await engine.images() : [];
  } catch (error) {
    if (error instanceof ApiError && error.code === 'engine_unavailable') return [];
    throw error;
  }
}

function runs(systems: readonly Os[], os: Os | undefined): boolean {
  return os === undefined || systems.includes(os);
}

function refuseSystem(engine: Engine, os: Os | undefined): void {
  if (runs(engine.features.os, os)) return;
  throw new ApiError('unsupported', `The engine "${engine.name}" cannot run os "${os}".`);
}

/** Why there is no such image: an engine that cannot be used is what has to be mended first. */
async function missing(
  engine: Engine,
  images: readonly EngineImage[],
  wanted: Wanted,
): Promise<ApiError> {
  const probe = await engine.probe();
  if (!probe.usable) {
    const message = `The engine "${engine.name}" cannot be used: ${probe.reason}; mend it with: ${probe.remedy}`;
    return new ApiError('engine_unavailable', message);
  }
  const os = wanted.os ?? 'linux';
  const name = wanted.image ?? DEFAULT_IMAGES[os];
  const known = images.map((candidate) => candidate.name).join(', ') || 'none';
  const engineFlag = wanted.engine === undefined ? '' : ` --engine ${engine.name}`;
  const remedy = wanted.image === undefined ? howToGet(os, engineFlag) : `it has: ${known}`;
  const message = `The engine "${engine.name}" has no image ${JSON.stringify(name)}; ${remedy}.`;
  return new ApiError('image_missing', message);
}

function howToGet(os: Os, engineFlag: string): string {
  const build = `build it with "vc image build ${os}${engineFlag}"`;
  if (os === 'linux') return build;
  return [
    `${build} (Windows programs by Wine),`,
    'or give the engine "qemu" a licensed disk with',
    '"vc image import NAME disk.qcow2 --os windows --firmware uefi --no-shell"',
    'and name it with image (--image NAME)',
  ].join(' ');
}

/** GPUs are answered "coming soon" unless the engine has one to lend. */
export function refuseUnavailableGpu(engine: Engine, gpu: string): void {
  if (gpu === 'none' || engine.features.gpus.includes(gpu)) return;
  throw new ApiError('unsupported', `gpu "${gpu}" is coming soon; leave it out or use "none".`);
}
