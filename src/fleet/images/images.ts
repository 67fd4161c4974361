import { ApiError } from '../../contract/errors.js';
import type { Image, ImageList, SaveImage } from '../../contract/resources.js';
import { listStoredImages } from '../../engines/stored-images.js';
import { DEFAULT_IMAGES, imageNamed } from '../../images/default-images.js';
import type { BuiltImage } from '../../images/dockerfile/build.js';
import type { Owner } from '../accounts/api-keys.js';
import type { OnCreated } from '../computers/idempotency.js';
import { settled } from '../computers/settled.js';
import { ownShapes } from '../computers/template-visibility.js';
import { missing } from '../errors/missing.js';
import { inCommands } from '../errors/remedies.js';
import type { Machines } from '../lifecycle/machines.js';
import type { SavedDisks } from '../snapshots/saved-disks.js';
import type { Snapshots } from '../snapshots/snapshots.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord, SavedDiskRecord } from '../store/records.js';
import { type ImageLabel, type ImageRecord, isPublished } from '../store/saved-disks.js';
import { readBuildLog, writeBuildLog } from './build/log.js';
import type { OwnMachines } from './build/machines.js';

/** Images of an owner. */
const MOST = 100;
/** Names of recipes, and of operating systems that stand for them. */
const RESERVED: readonly string[] = Object.values(DEFAULT_IMAGES);

export interface ImagesParts {
  readonly store: Store;
  readonly machines: Machines;
  readonly disks: SavedDisks;
  readonly snapshots: Snapshots;
  mayAdminister(owner: Owner): boolean;
}

/**
 * Images: those that owners have saved or built, those that administrators have made for all owners, and
 * those of the engines. A name means the first of these.
 */
export class Images {
  readonly #parts: ImagesParts;
  readonly #store: Store;

  constructor(parts: ImagesParts) {
    this.#parts = parts;
    this.#store = parts.store;
  }

  /**
   * The owner's images, shared ones, those of all engines, and templates. A key that may not administer
   * sees the templates of the shapes of its own computers only: others tell what other owners use.
   */
  async list(owner: Owner, signal?: AbortSignal): Promise<ImageList> {
    const { images, failures } = await listStoredImages(
      [...this.#parts.machines.engines()],
      signal,
    );
    const isOwn = ownShapes(this.#store, owner);
    const all = this.#parts.mayAdminister(owner);
    const visible = images.filter((one) => all || one.kind !== 'template' || isOwn(one));
    return {
      images: [...this.#saved(owner), ...visible],
      failures,
    };
  }

  /** The owner's image of the name, else a shared one, else one of an engine. */
  async get(owner: Owner, name: string, signal?: AbortSignal): Promise<Image> {
    const { images } = await this.list(owner, signal);
    const found = images.find((image) => image.name === name && image.kind !== 'template');
    if (found !== undefined) return found;
    throw missing('image', name, { known: images.map((image) => image.name), list: 'vc image ls' });
  }

  /** The log of the build that made a saved or shared image; empty for other images. */
  async log(owner: Owner, name: string, signal?: AbortSignal): Promise<string> {
    const saved = this.#store.savedDisks.images(owner.id).find((image) => image.name === name);
    if (saved !== undefined) return readBuildLog(this.#store.directory, saved.id);
    // Throws if there is none.
    await this.get(owner, name, signal);
    return '';
  }

  /** Saves a computer of the owner, or one of its snapshots, as an image. */
  async save(
    owner: Owner,
    record: ComputerRecord,
    { name, snapshot, shared = false }: Omit<SaveImage, 'computer'>,
    onCreated: OnCreated = () => {},
  ): Promise<Image> {
    const label = this.label(owner, name, shared);
    this.#parts.disks.engineOf(record);
    const of = snapshot === undefined ? undefined : this.#parts.snapshots.find(record, snapshot);
    if (of === undefined) await settled(this.#store, this.#parts.machines, record.id);
    const given = () => {
      this.#refuseName(owner.id, name);
      return name;
    };
    const wanted = { kind: 'image', memory: false, of, ...label, name: given } as const;
    const id = await this.#parts.disks.save(record, wanted, (disk) => {
      onCreated(disk.id);
      return disk.id;
    });
    // The one that it has replaced.
    await this.#parts.disks.tidy(this.#parts.machines.engine(record.engine)).catch(() => undefined);
    return this.#view(owner, id);
  }

  /** Of an image to be saved or built; throws if the owner may not make it. */
  label(owner: Owner, name: string, isShared: boolean): ImageLabel {
    if (isShared && !this.#parts.mayAdminister(owner)) {
      throw new ApiError('forbidden', 'Only administrators make images for all owners.', {
        remedy: 'Leave out "shared" to make an image of your own.',
      });
    }
    this.#refuseName(owner.id, name);
    return { name, shared: isShared ? 1 : 0 };
  }

  #refuseName(ownerId: string, name: string): void {
    if (RESERVED.includes(imageNamed(name))) {
      const message = `name must not be ${JSON.stringify(name)}, which is the name of a recipe.`;
      throw new ApiError('invalid_request', message, { remedy: 'Choose another name.' });
    }
    const images = this.#store.savedDisks
      .images(ownerId)
      .filter(({ owner_id }) => owner_id === ownerId);
    if (images.length < MOST || images.some((image) => image.name === name)) return;
    throw new ApiError('limit_reached', `You have ${MOST} images, which is the limit.`, {
      remedy: 'Remove one first: vc image rm NAME',
    });
  }

  /**
   * Names what a build has made. The disk of its last step becomes the image, unless it is one of
   * another name: then that is saved once more.
   */
  async publish(
    owner: Owner,
    label: ImageLabel,
    { origin, config, log }: BuiltImage & { readonly log: string },
    machines: OwnMachines,
    signal: AbortSignal,
  ): Promise<Image> {
    const { name } = label;
    const published = { ...label, config: JSON.stringify(config) };
    // The log is removed with the disk, so it is written while the disk has a row.
    const become = (disk: SavedDiskRecord) => {
      // An unchanged build keeps the log of the one that made the image.
      if (!isPublished(disk, label)) writeBuildLog(this.#store.directory, disk.id, log);
      this.#store.savedDisks.publish(disk, published);
      return disk.id;
    };
    const publish = (find: () => SavedDiskRecord) =>
      this.#store.transaction(() => {
        const disk = find();
        this.#refuseName(owner.id, name);
        return become(disk);
      });
    const step = 'step' in origin ? machines.step(origin.step) : undefined;
    if (step !== undefined && (step.state !== 'ready' || isPublished(step, label))) {
      signal.throwIfAborted();
      return this.#view(
        owner,
        publish(() => this.#store.savedDisks.find(step.id) ?? step),
      );
    }
    const record = await machines.startComputer(origin, signal);
    try {
      const wanted = { kind: 'image', memory: false, ...label, name: () => name } as const;
      const id = await this.#parts.disks.save(record, wanted, (disk) => {
        signal.throwIfAborted();
        return become({ ...disk, state: 'ready' });
      });
      return this.#view(owner, id);
    } finally {
      await machines.remove(record);
    }
  }

  /** The answer about an image that was saved; undefined if it is gone. */
  resume(owner: Owner, id: string): Promise<Image> | undefined {
    const image = this.#store.savedDisks.images(owner.id).find((each) => each.id === id);
    return image && Promise.resolve(this.#serialize(owner, image));
  }

  /** Refused while computers that were made from it exist. */
  async remove(owner: Owner, name: string): Promise<void> {
    const mayAdminister = this.#parts.mayAdminister(owner);
    const image = this.#store.transaction(() => {
      const found = this.#store.savedDisks.images(owner.id).find((each) => each.name === name);
      if (found === undefined || (found.shared && !mayAdminister)) return undefined;
      if (found.used_by > 0) throw this.#inUse(owner, found);
      this.#store.savedDisks.retire(found);
      // It frees its space, although a build could begin with it.
      this.#store.buildSteps.removeOfDisk(found.id);
      return found;
    });
    if (image !== undefined) {
      const engine = this.#parts.machines.engine(image.engine);
      return this.#parts.disks.tidy(engine, ({ id }) => id === image.id);
    }
    // Throws if there is none.
    await this.get(owner, name);
    const message = `The image ${JSON.stringify(name)} belongs to the service.`;
    throw new ApiError('conflict', message, {
      remedy: 'An administrator removes it: a shared one with vc image rm, others on the host.',
    });
  }

  /** Names computers of this owner only. */
  #inUse(owner: Owner, { id, name, used_by, used_by_own }: ImageRecord): ApiError {
    const isNeeded = `The image ${JSON.stringify(name)} is needed by`;
    if (used_by_own === 0) {
      const others =
        used_by === 1 ? '1 computer of another owner' : `${used_by} computers of others`;
      const message = `${isNeeded} ${others}.`;
      const remedy = 'Replace it: save or build another image under its name.';
      return new ApiError('conflict', message, { remedy });
    }
    const users = this.#store.computers
      .listAll()
      .filter(({ source, owner_id }) => source === id && owner_id === owner.id);
    const names = users.slice(0, 3).map(inCommands);
    const more = used_by > names.length ? ` and ${used_by - names.length} more` : '';
    const remedy =
      more === ''
        ? `Remove them first: vc rm ${names.join(' ')}`
        : `Remove them first; to list yours: vc ls --all --image ${name}`;
    return new ApiError('conflict', `${isNeeded} ${names.join(', ')}${more}.`, { remedy });
  }

  #saved(owner: Owner): Image[] {
    return this.#store.savedDisks.images(owner.id).map((image) => this.#serialize(owner, image));
  }

  #serialize(owner: Owner, image: ImageRecord): Image {
    const { name, engine, os, bytes, created_at, shared } = image;
    const isHidden = shared === 1 && !this.#parts.mayAdminister(owner);
    return {
      name: name ?? '',
      engine,
      os,
      kind: shared === 1 ? 'shared' : 'saved',
      status: 'ready',
      bytes,
      created_at,
      recipe_hash: null,
      key: null,
      cpu: null,
      ram: null,
      resolution: null,
      used_by: isHidden ? image.used_by_own : image.used_by,
    };
  }

  #view(owner: Owner, id: string): Image {
    const image = this.#store.savedDisks.images(owner.id).find((each) => each.id === id);
    if (image !== undefined) return this.#serialize(owner, image);
    throw new ApiError('not_found', 'The image was deleted or replaced meanwhile.', {
      remedy: 'See: vc image ls',
    });
  }
}
