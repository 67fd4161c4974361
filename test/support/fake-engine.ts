import { PassThrough } from 'node:stream';
import { ApiError } from '../../src/contract/errors.js';
import type {
  DiskUsage,
  Engine,
  EngineCapabilities,
  EngineImage,
  MachineDescription,
  MachineEvent,
  MachineSize,
  MachineSpec,
  MachineState,
  MachineUsage,
  Measuring,
  Mounting,
  NewVolume,
  Probe,
  SavedDisk,
  SaveRequest,
  Snapshotting,
} from '../../src/engines/engine.js';

type Call =
  | 'create'
  | 'start'
  | 'stop'
  | 'remove'
  | 'list'
  | 'move'
  | 'save'
  | 'reset'
  | 'resize'
  | 'savedDisks'
  | 'removeSaved';

/** A promise for {@link FakeEngine.gates} that the test resolves. */
export function gate<T = void>(): { readonly passed: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open: (value) => open(value) };
}

/** An engine in memory for unit tests; end-to-end tests use real ones. */
export class FakeEngine implements Engine, Measuring {
  readonly name: string = 'docker';
  readonly capabilities: EngineCapabilities = {
    ...{ isolation: 'container', os: ['linux'], gpus: [] },
  };
  readonly machines = new Map<string, { spec: MachineSpec; status: 'running' | 'stopped' }>();
  readonly calls: string[] = [];
  /** Makes the next such call wait until the promise settles. */
  readonly gates = new Map<Call, Promise<void>>();
  /** Makes such calls fail. */
  readonly failures = new Map<Call, Error>();
  /** Whether it changes the size of running machines. */
  resizes = true;
  readonly #listeners = new Set<(event: MachineEvent) => void>();

  async probe(): Promise<Probe> {
    return { usable: true, version: '0', detail: 'in memory' };
  }

  async describe(): Promise<MachineDescription> {
    const { isolation } = this.capabilities;
    return { isolation, pixels: 'raw', shell: { user: 'user' }, programs: 'x11' };
  }

  async create(spec: MachineSpec): Promise<void> {
    await this.step('create', spec.id);
    if (!this.machines.has(spec.id)) this.machines.set(spec.id, { spec, status: 'stopped' });
  }

  async start(id: string): Promise<void> {
    await this.step('start', id);
    const machine = this.machines.get(id);
    if (!machine) throw new ApiError('not_found', 'no such machine');
    machine.status = 'running';
  }

  async resize(id: string, { cpu, ram, resolution }: MachineSize): Promise<'now' | 'next start'> {
    await this.step('resize', id);
    const machine = this.machines.get(id);
    if (!machine) throw new ApiError('not_found', 'no such machine');
    if (machine.status === 'running' && !this.resizes) return 'next start';
    machine.spec = { ...machine.spec, cpu, ram, resolution };
    return 'now';
  }

  async stop(id: string): Promise<void> {
    await this.step('stop', id);
    const machine = this.machines.get(id);
    if (machine) machine.status = 'stopped';
  }

  async remove(id: string): Promise<void> {
    await this.step('remove', id);
    this.machines.delete(id);
  }

  async list(): Promise<MachineState[]> {
    // A list has the state of the moment when it was requested.
    const states = [...this.machines].map(([id, { status }]) => ({ id, status }));
    await this.step('list', '');
    return states;
  }

  async *watch(signal: AbortSignal): AsyncIterable<MachineEvent> {
    const events: MachineEvent[] = [];
    let wake = () => {};
    const listener = (event: MachineEvent) => {
      events.push(event);
      wake();
    };
    const onAbort = () => wake();
    this.#listeners.add(listener);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal.aborted) {
        const event = events.shift();
        if (event) yield event;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Sends an event to all watchers. */
  emit(event: MachineEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** What {@link usage} answers. */
  readonly used = { cpuSeconds: 1, memoryBytes: 3e8 };

  async usage(id: string): Promise<MachineUsage> {
    if (this.machines.get(id)?.status === 'running') return { ...this.used };
    throw new ApiError('not_running', 'no such machine runs');
  }

  async diskUsage(_id: string): Promise<DiskUsage> {
    return { diskBytes: 4e6 };
  }

  async dial() {
    return new PassThrough();
  }

  async images(): Promise<EngineImage[]> {
    return [{ name: 'linux', os: 'linux', bytes: 1, createdAt: new Date(0) }];
  }

  async recipeHash(): Promise<string | undefined> {
    return undefined;
  }

  protected async step(call: Call, id: string): Promise<void> {
    if (call !== 'list' && call !== 'savedDisks') this.calls.push(`${call} ${id}`);
    const gate = this.gates.get(call);
    this.gates.delete(call);
    await gate;
    const failure = this.failures.get(call);
    if (failure) throw failure;
  }
}

/** What is on a disk, as far as tests care. */
const EMPTY = 'as created';

/** An engine that saves and resets disks. */
export class FakeSnapshottingEngine extends FakeEngine implements Snapshotting {
  /** What is on the disks of machines. */
  readonly contents = new Map<string, string>();
  readonly disks = new Map<string, SavedDisk & { readonly content: string }>();
  /** Bytes of the next saved disks. */
  bytes = 100;
  savesMemory = false;

  override async create(spec: MachineSpec): Promise<void> {
    await super.create(spec);
    if (!this.contents.has(spec.id)) this.contents.set(spec.id, this.#contentOf(spec));
  }

  override async remove(id: string): Promise<void> {
    await super.remove(id);
    this.contents.delete(id);
  }

  async save(machine: string, request: SaveRequest): Promise<SavedDisk> {
    const { id, kind, memory, of } = request;
    const status = this.machines.get(machine)?.status;
    const content = of ? this.disks.get(of.id)?.content : this.contents.get(machine);
    await this.step('save', `${machine} ${id}`);
    if (status === undefined || content === undefined)
      throw new ApiError('not_found', 'no such machine');
    const hasMemory = memory && this.savesMemory && status === 'running';
    const disk = { id, kind, machine, bytes: this.bytes, memory: hasMemory, content };
    this.disks.set(id, disk);
    return disk;
  }

  async savedDisks(): Promise<SavedDisk[]> {
    const disks = [...this.disks.values()];
    await this.step('savedDisks', '');
    return disks;
  }

  async removeSaved(id: string): Promise<void> {
    await this.step('removeSaved', id);
    this.disks.delete(id);
  }

  async reset(spec: MachineSpec): Promise<void> {
    const content = this.#contentOf(spec);
    const machine = this.machines.get(spec.id);
    if (machine !== undefined) machine.status = 'stopped';
    await this.step('reset', spec.id);
    this.machines.set(spec.id, { spec, status: 'stopped' });
    this.contents.set(spec.id, content);
  }

  #contentOf({ from }: MachineSpec): string {
    if (from === undefined) return EMPTY;
    const content = this.disks.get(from.id)?.content;
    if (content === undefined) throw new ApiError('not_found', 'no such saved disk');
    return content;
  }
}

/** Has volumes, by id with their bytes. */
export class FakeMountingEngine extends FakeSnapshottingEngine implements Mounting {
  readonly volumes = new Map<string, number>();
  /** Makes its calls about volumes fail. */
  failure: Error | undefined;

  async createVolume({ id }: NewVolume): Promise<void> {
    this.volumes.set(id, 5e9);
    if (this.failure !== undefined) throw this.failure;
  }

  /** Ids of volumes whose removal has begun. */
  readonly removals: string[] = [];
  /** Waited for by removals. */
  pause: Promise<void> | undefined;

  async removeVolume(id: string): Promise<void> {
    this.removals.push(id);
    await this.pause;
    if (this.failure !== undefined) throw this.failure;
    this.volumes.delete(id);
  }

  async volumeBytes(id: string): Promise<number> {
    return this.volumes.get(id) ?? 0;
  }
}

/** A second engine of a service, with configurable images. */
export class FakeVmEngine extends FakeSnapshottingEngine {
  override readonly name: string = 'qemu';
  override readonly capabilities: EngineCapabilities = {
    ...{ isolation: 'emulated', os: ['linux', 'windows'], gpus: [] },
  };
  readonly stored: EngineImage[] = [
    { name: 'linux', os: 'linux', bytes: 1, createdAt: new Date(0) },
  ];

  override async images(): Promise<EngineImage[]> {
    return this.stored;
  }
}
