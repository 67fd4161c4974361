import { ApiError } from '../../contract/errors.js';
import type { Engine, EngineImage } from '../../engines/engine.js';
import { DEFAULT_IMAGES } from '../../images/default-images.js';
import { MOST_NAMES, suggestion } from '../errors/missing.js';
import type { SavedDiskRecord } from '../store/records.js';

type Os = 'linux' | 'windows';

/** The placement that a request asks for; missing values are chosen. */
export interface Wanted {
  readonly engine?: string | undefined;
  readonly image?: string | undefined;
  readonly os?: Os | undefined;
  /** Names of the owner's images, for the error. */
  readonly own?: readonly string[];
}

/** The engine, image and operating system of a new computer. */
export interface Placement {
  readonly engine: Engine;
  readonly image: string;
  readonly os: Os;
  /** Id of a saved or shared image; undefined for one of the engine. */
  readonly source?: string;
}

/** An image of the owner, or a shared one. */
export type OwnImage = Pick<SavedDiskRecord, 'id' | 'engine' | 'os'>;

/** The engines that new computers may get, the preferred one first, and a named one of them. */
export interface EngineOffer {
  readonly offered: readonly Engine[];
  offeredEngine(name: string): Engine;
}

/**
 * Chooses the engine and the image of a new computer. The image is the named one, else the default
 * of the operating system; the engine is the named one, else the first in order of preference that
 * has the image. Throws `image_missing`, or `engine_unavailable` if the preferred engine is away: a
 * temporary failure must not change the placement. A saved image is on one engine.
 */
export async function choosePlacement(
  offer: EngineOffer,
  wanted: Wanted,
  own?: OwnImage,
): Promise<Placement> {
  if (own !== undefined) return placementOfOwn(offer, wanted, own);
  if (wanted.engine !== undefined) return placementOn(offer.offeredEngine(wanted.engine), wanted);
  const able = offer.offered.filter(({ capabilities }) => runs(capabilities.os, wanted.os));
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

async function placementOn(engine: Engine, wanted: Wanted): Promise<Placement> {
  refuseSystem(engine, wanted.os);
  const images = await engine.images();
  const image = find(images, wanted);
  if (image) return place(engine, image, wanted);
  throw await missing(engine, images, wanted);
}

function placementOfOwn(offer: EngineOffer, wanted: Wanted, own: OwnImage): Placement {
  const name = wanted.image ?? '';
  if (wanted.engine !== undefined && wanted.engine !== own.engine) {
    const message = `The image ${JSON.stringify(name)} is on the engine "${own.engine}", not "${wanted.engine}".`;
    throw new ApiError('image_missing', message, { remedy: 'Leave the engine out.' });
  }
  const engine = offer.offeredEngine(own.engine);
  return { ...place(engine, { name, os: own.os }, wanted), source: own.id };
}

function place(engine: Engine, image: Pick<EngineImage, 'name' | 'os'>, { os }: Wanted): Placement {
  if (os !== undefined && image.os !== os) {
    const message = `image "${image.name}" is for os "${image.os}", not "${os}".`;
    throw new ApiError('invalid_request', message);
  }
  return { engine, image: image.name, os: image.os };
}

function find(images: readonly EngineImage[], { image, os }: Wanted): EngineImage | undefined {
  return images.find(({ name }) => name === (image ?? DEFAULT_IMAGES[os ?? 'linux']));
}

/** Empty for an engine that cannot be used, so that it is not chosen. */
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
  if (runs(engine.capabilities.os, os)) return;
  throw new ApiError('unsupported', `The engine "${engine.name}" cannot run os "${os}".`);
}

/** The error for a missing image, or for an engine that cannot be used. */
async function missing(
  engine: Engine,
  images: readonly EngineImage[],
  wanted: Wanted,
): Promise<ApiError> {
  const probe = await engine.probe();
  if (!probe.usable) {
    const message = `The engine "${engine.name}" cannot be used: ${probe.reason}.`;
    return new ApiError('engine_unavailable', message, { remedy: probe.remedy });
  }
  const os = wanted.os ?? 'linux';
  const name = wanted.image ?? DEFAULT_IMAGES[os];
  const names = images.map((candidate) => candidate.name);
  const { own = [] } = wanted;
  const known = names.join(', ') || 'none';
  const yours = own.length === 0 ? '' : `; your own: ${own.slice(0, MOST_NAMES).join(', ')}`;
  const message = `The engine "${engine.name}" has no image ${JSON.stringify(name)}; it has: ${known}${yours}.`;
  const remedy =
    wanted.image === undefined
      ? buildRemedy(os, engine.name)
      : suggestion(wanted.image, [...own, ...names], 'vc image ls');
  return new ApiError('image_missing', message, { remedy });
}

/** With the engine: vc may choose another one than the service. */
function buildRemedy(os: Os, engine: string): string {
  const build = `vc image build ${os} --engine ${engine}`;
  if (os === 'linux') return build;
  return `${build} (Wine), or import a licensed disk: vc image import NAME disk.qcow2 --os windows --firmware uefi --no-shell`;
}

/** Refuses a GPU as "coming soon" unless the engine has it. */
export function refuseUnavailableGpu(engine: Engine, gpu: string): void {
  if (gpu === 'none' || engine.capabilities.gpus.includes(gpu)) return;
  throw new ApiError('unsupported', `gpu "${gpu}" is coming soon.`, {
    remedy: 'Leave it out, or use "none".',
  });
}
