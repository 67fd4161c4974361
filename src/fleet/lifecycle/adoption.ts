import type { Engine, Labelling, MachineState } from '../../engines/engine.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { generateKeyPair } from '../../shell/keys.js';
import type { Store } from '../store/index.js';
import type { ProjectRow } from '../store/projects.js';
import type { ComputerRecord, MountedVolume } from '../store/records.js';
import type { Label, Labels } from './labels.js';
import { mountsOf } from './machine-spec.js';

/** Longest names of computers, projects and volumes. */
const NAME = 128;
const PROJECT_NAME = 64;
const VOLUME_NAME = 63;

/** Where a machine is. */
interface Place {
  readonly engine: string;
  readonly id: string;
  readonly member: string | undefined;
}

interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** A machine of this service that no computer owns, and why it was not adopted. */
export interface Unadopted {
  readonly engine: string;
  readonly id: string;
  readonly reason: string;
}

/**
 * Restores the rows of computers from the labels of their machines: after the state of the service was
 * restored from a backup, what was created later is still there.
 */
export class Adoption {
  readonly #store: Store;
  readonly #labels: Labels;
  readonly #log: Log;
  readonly #busy = new Set<string>();
  #unadopted: Unadopted[] = [];

  constructor(store: Store, labels: Labels, log: Log) {
    this.#store = store;
    this.#labels = labels;
    this.#log = log;
  }

  /** Machines that were left alone. */
  get unadopted(): readonly Unadopted[] {
    return this.#unadopted;
  }

  /**
   * Adopts machines that no computer owns. Returns the ids of those whose computers this service has
   * deleted: they are to be removed. All others are left alone and reported.
   */
  async run(
    engine: Engine & Labelling,
    machines: readonly MachineState[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const left: Unadopted[] = [];
    const deleted: string[] = [];
    for (const machine of machines) {
      signal.throwIfAborted();
      const { id } = machine;
      if (this.#busy.has(id)) continue;
      if (this.#store.events.hasDeleted(id)) {
        deleted.push(id);
        continue;
      }
      this.#busy.add(id);
      const reason = await this.#adopt(engine, machine, signal)
        .catch(errorMessage)
        .finally(() => this.#busy.delete(id));
      if (reason !== undefined) left.push({ engine: engine.name, id, reason });
    }
    this.#report(engine.name, left);
    return deleted;
  }

  /** Returns why the machine was not adopted; undefined if it was. */
  async #adopt(
    engine: Engine & Labelling,
    { id, label = {}, member }: MachineState,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const read = this.#labels.read(id, label);
    if (read === undefined) return 'its label is not one that this service wrote';
    const refused = this.#refusal(read);
    if (refused !== undefined) return refused;
    const { publicKey: public_key, privateKey: private_key } = generateKeyPair();
    // A guest that is in trouble is adopted nevertheless: the reconciler tries again.
    await engine.setAuthorizedKey(id, public_key, signal).catch((err) => {
      this.#log.warn({ computer: id, err }, 'an adopted machine does not accept its new key yet');
    });
    signal.throwIfAborted();
    const record = this.#store.transaction(() =>
      this.#insert({ engine: engine.name, id, member }, read, { public_key, private_key }),
    );
    if (typeof record === 'string') return record;
    const { name, project_name: project } = record;
    this.#log.info({ computer: id, name, project }, 'adopted a machine that no computer owned');
    this.#labels.renew(engine, id);
    return undefined;
  }

  #refusal({ owner, project }: Label): string | undefined {
    const found = this.#store.owners.findOwner(owner);
    if (found === undefined) return `its owner ${owner} does not exist`;
    if (found.deleting_by !== null) return `its owner ${found.name} is being deleted`;
    const present = this.#store.projects.findById(project);
    if (present === undefined) return undefined;
    if (present.owner_id !== owner) return `its project ${present.name} has another owner`;
    return present.deleting ? `its project ${present.name} is being deleted` : undefined;
  }

  /** Inserts the row of a stopped computer with a disk; the engine's report says whether it runs. */
  #insert(
    { engine, id, member }: Place,
    label: Label,
    keys: Pick<ComputerRecord, 'public_key' | 'private_key'>,
  ): ComputerRecord | string {
    const refused = this.#refusal(label);
    if (refused !== undefined) return refused;
    const { computers, projects } = this.#store;
    const project = projects.findById(label.project) ?? this.#restoreProject(label);
    const { protected: isProtected, sudo, volumes, ...spec } = label.spec;
    const isTaken = (name: string) => computers.findByName(project.id, name) !== undefined;
    computers.insert({
      id,
      project_id: project.id,
      owner_id: label.owner,
      engine,
      ...keys,
      name: freeName(label.name, NAME, isTaken),
      os: label.os,
      image: label.image,
      ...spec,
      protected: isProtected ? 1 : 0,
      sudo: sudo ? 1 : 0,
      volumes: JSON.stringify(
        this.#restoreVolumes({ engine, member }, label, mountsOf({ volumes })),
      ),
      created_at: label.created,
      status: 'stopped',
      copy_runs: 1,
      member: null,
      member_group: null,
    });
    // It has a disk, which can be lost.
    computers.setCopied(id);
    projects.touch(project.id);
    const record = computers.findById(id);
    if (record === undefined) throw new Error(`the row of ${id} was not written`);
    return record;
  }

  /** The volumes that the machine mounts, with the names that they have now. */
  #restoreVolumes(
    { engine, member }: Pick<Place, 'engine' | 'member'>,
    { owner }: Label,
    mounts: readonly MountedVolume[],
  ): MountedVolume[] {
    const { volumes } = this.#store;
    return mounts.map((mount) => {
      const { id } = mount;
      const found = volumes.find(id);
      if (found !== undefined) return { ...mount, name: found.name };
      const names = new Set(volumes.list(owner).map((each) => each.name));
      const name = freeName(mount.name, VOLUME_NAME, (each) => names.has(each));
      volumes.insert({ id, owner_id: owner, engine, member: member ?? null, name });
      volumes.setState(id, 'ready');
      this.#log.info({ volume: id, name }, 'restored a volume of an adopted machine');
      return { ...mount, name };
    });
  }

  #restoreProject({ owner, project: id, project_name }: Label): ProjectRow {
    const { projects } = this.#store;
    const names = new Set(projects.list(owner).map(({ name }) => name));
    const name = freeName(project_name, PROJECT_NAME, (each) => names.has(each));
    const created = projects.create(owner, name, id);
    if (created === undefined) throw new Error(`the row of ${id} was not written`);
    this.#log.info({ project: id, name }, 'restored the project of an adopted machine');
    return created;
  }

  #report(engine: string, left: readonly Unadopted[]): void {
    for (const { id, reason } of left) {
      const isKnown = this.#unadopted.some((each) => each.id === id && each.reason === reason);
      const details = { engine, computer: id, reason };
      if (!isKnown) this.#log.warn(details, 'left alone a machine that no computer owns');
    }
    const others = this.#unadopted.filter((each) => each.engine !== engine);
    this.#unadopted = [...others, ...left];
  }
}

/** The name, or if it is taken the name with the first number from 2 on that is free. */
function freeName(name: string, longest: number, isTaken: (name: string) => boolean): string {
  for (let number = 2, free = name; ; number++) {
    if (!isTaken(free)) return free;
    const suffix = `-${number}`;
    free = [...name].slice(0, longest - suffix.length).join('') + suffix;
  }
}
