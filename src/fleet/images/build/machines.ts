import { ApiError } from '../../../contract/errors.js';
import { CreateComputer } from '../../../contract/resources.js';
import type { Engine, Snapshotting } from '../../../engines/engine.js';
import type { BuildMachine, BuildMachines, Origin } from '../../../images/dockerfile/machine.js';
import { BASE_CONFIG, type BaseImage, type ImageConfig } from '../../../images/dockerfile/steps.js';
import { abortable } from '../../../lib/async/abort.js';
import type { Owner } from '../../accounts/api-keys.js';
import type { Creation } from '../../computers/creation.js';
import type { Machines } from '../../lifecycle/machines.js';
import type { SavedDisks } from '../../snapshots/saved-disks.js';
import type { Store } from '../../store/index.js';
import type { ProjectRow } from '../../store/projects.js';
import type { ComputerRecord, SavedDiskRecord } from '../../store/records.js';
import { GuestMachine } from './guest-machine.js';
import type { StepCache, StepUser } from './step-cache.js';

export interface OwnMachinesParts {
  readonly store: Store;
  readonly machines: Machines;
  readonly creation: Creation;
  readonly disks: SavedDisks;
  readonly steps: StepCache;
  readonly owner: Owner;
  readonly engine: Engine & Partial<Snapshotting>;
  /** Of this build only. */
  readonly project: ProjectRow;
  readonly stopping: AbortSignal;
}

/** The images, saved steps and computers of one build. */
export class OwnMachines implements BuildMachines {
  readonly saveMs: number;
  readonly #parts: OwnMachinesParts;
  readonly #user: StepUser;
  readonly #release: () => void;
  #started = 0;

  constructor(parts: OwnMachinesParts) {
    this.#parts = parts;
    this.saveMs = parts.engine.saveMs ?? 0;
    this.#user = { ownerId: parts.owner.id, engine: parts.engine.name, pinned: new Set() };
    this.#release = parts.steps.use(this.#user);
  }

  /** The cache may remove the steps of the build. */
  release(): void {
    this.#release();
  }

  async findImage(name: string, signal?: AbortSignal): Promise<BaseImage | undefined> {
    const { store, owner, engine } = this.#parts;
    const saved = store.savedDisks.images(owner.id).find((image) => image.name === name);
    if (saved !== undefined) {
      if (saved.engine === engine.name) return { name, id: saved.id, config: configOf(saved) };
      const message = `The image ${JSON.stringify(name)} is on the engine "${saved.engine}", and the build is on "${engine.name}".`;
      throw new ApiError('image_missing', message, {
        remedy: `Build on that engine: --engine ${saved.engine}`,
      });
    }
    const found = (await engine.images(signal)).find((image) => image.name === name);
    if (found === undefined) return undefined;
    const version = found.id ?? found.recipeHash ?? found.createdAt.toISOString();
    return { name, id: `${engine.name}/${name}/${version}`, config: BASE_CONFIG };
  }

  async hasStep(key: string): Promise<boolean> {
    return this.#parts.steps.find(this.#user, key) !== undefined;
  }

  /** The disk of a step that the build has found or saved. */
  step(key: string): SavedDiskRecord {
    const disk = this.#parts.steps.find(this.#user, key);
    if (disk !== undefined) return disk;
    throw new ApiError('conflict', 'A saved step of the build was removed meanwhile.', {
      remedy: 'Build again.',
    });
  }

  async start(origin: Origin, signal?: AbortSignal): Promise<BuildMachine> {
    let step = 'step' in origin ? origin.step : null;
    const record = await this.startComputer(origin, signal);
    const machine = new GuestMachine({
      session: this.#parts.machines.of(record).session,
      save: async (key) => {
        const wanted = { kind: 'image', memory: false, name: () => undefined } as const;
        await this.#parts.disks.save(record, wanted, ({ id }) =>
          this.#parts.steps.put(this.#user, key, step, id),
        );
        step = key;
      },
      close: () => this.remove(record),
    });
    try {
      await machine.check(signal);
      return machine;
    } catch (error) {
      await machine.close();
      throw error;
    }
  }

  /** Starts a computer of the build's project, which counts against the owner's limits. */
  async startComputer(origin: Origin, signal?: AbortSignal): Promise<ComputerRecord> {
    const { creation, owner, project, engine, machines } = this.#parts;
    this.#started += 1;
    const disk = 'step' in origin ? this.step(origin.step) : undefined;
    const image = 'image' in origin ? origin.image.name : (disk?.name ?? 'linux');
    const name = `step-${this.#started}`;
    const input = CreateComputer.parse({ name, image, engine: engine.name });
    const record = await creation.ofImage(owner, project, input, undefined, disk);
    try {
      await abortable(machines.of(record).start(), signal);
      return record;
    } catch (error) {
      await this.remove(record);
      if ('step' in origin && isGone(error)) this.#parts.steps.forget(this.#user, origin.step);
      throw error;
    }
  }

  /** A removal that fails is repeated with that of the project, or when the service starts. */
  async remove(record: ComputerRecord): Promise<void> {
    const { store, machines, stopping } = this.#parts;
    if (stopping.aborted || store.computers.findById(record.id) === undefined) return;
    await machines
      .of(record)
      .remove()
      .catch(() => undefined);
  }
}

/** What an image passes on to those that are built from it. */
function configOf({ config }: SavedDiskRecord): ImageConfig {
  return config === null ? BASE_CONFIG : (JSON.parse(config) as ImageConfig);
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && ['image_missing', 'not_found'].includes(error.code);
}
