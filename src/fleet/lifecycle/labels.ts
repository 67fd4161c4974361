import { z } from 'zod';
import { ON_IDLE, PROJECT_ID } from '../../contract/constants.js';
import { ComputerName, ProjectName } from '../../contract/index.js';
import {
  type Engine,
  isLabelling,
  type MachineLabel,
  type MachineState,
} from '../../engines/engine.js';
import { Queue } from '../../lib/async/queue.js';
import { parseJson } from '../../lib/json/parse.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { NO_VOLUMES } from './machine-spec.js';

const positive = z.int().positive();
const Spec = z.object({
  ram: positive,
  cpu: positive,
  width: positive,
  height: positive,
  gpu: z.string(),
  auto_stop_minutes: positive.nullable(),
  on_idle: z.enum(ON_IDLE),
  expires_at: z.iso.datetime().nullable(),
  labels: z.string(),
  protected: z.boolean(),
  timezone: z.string().nullable(),
  locale: z.string().nullable(),
  sudo: z.boolean(),
  created_by: z.string().nullable(),
  /** The {@link MountedVolume}s as JSON, if there are any. */
  volumes: z.string().default(NO_VOLUMES),
});

/** What the label of a machine says about its computer. */
const Label = z.object({
  owner: z.string(),
  project: z.string().regex(PROJECT_ID),
  project_name: ProjectName,
  name: ComputerName,
  os: z.enum(['linux', 'windows']),
  image: z.string(),
  created: z.iso.datetime(),
  spec: z.string().transform(parseJson).pipe(Spec),
});
export type Label = z.infer<typeof Label>;

/** Keys of a label, in the order in which they are signed. */
const KEYS = Label.keyof().options;
/** The key with the signature. */
const SIGNATURE = 'signature';
const PURPOSE = 'label';

/**
 * The labels of machines: all that is needed to restore the rows of their computers. They are signed
 * with a key of the service, because others may be able to make machines on its engine.
 */
export class Labels {
  readonly #store: Store;
  readonly #queue = new Queue();
  /** Ids of computers whose machines get a new label. */
  readonly #waiting = new Set<string>();
  #isClosed = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Makes the key, so that every backup from now on has it. A failure is reported when it is used. */
  prepare(): void {
    try {
      this.#store.sign(PURPOSE, '');
    } catch {
      // The disk is full, or the file cannot be read.
    }
  }

  /** The label of a computer's machine. Throws if the key cannot be read. */
  of(record: ComputerRecord): MachineLabel {
    const { width, height, ram, cpu, gpu, auto_stop_minutes, on_idle, created_by } = record;
    const { timezone, locale } = record;
    const spec: z.input<typeof Spec> = {
      ram,
      cpu,
      width,
      height,
      gpu,
      auto_stop_minutes,
      on_idle,
      expires_at: record.expires_at,
      labels: record.labels,
      protected: record.protected === 1,
      timezone,
      locale,
      sudo: record.sudo === 1,
      created_by,
      ...(record.volumes === NO_VOLUMES ? {} : { volumes: record.volumes }),
    };
    const label: Record<keyof Label, string> = {
      owner: record.owner_id,
      project: record.project_id,
      project_name: record.project_name,
      name: record.name,
      os: record.os,
      image: record.image,
      created: record.created_at,
      spec: JSON.stringify(spec),
    };
    return { ...label, [SIGNATURE]: this.#sign(record.id, label) };
  }

  /** What a label says; undefined if this service did not write it for that machine. */
  read(id: string, label: MachineLabel): Label | undefined {
    if (label[SIGNATURE] !== this.#sign(id, label)) return undefined;
    return Label.safeParse(label).data;
  }

  /** Has the machine get the label and key of its computer if it has others. */
  keep(engine: Engine, record: ComputerRecord, { label, authorizedKey }: MachineState): void {
    if (label === undefined || !isLabelling(engine)) return;
    const isCurrent = this.#isCurrent(record, label);
    const hasKey = authorizedKey === undefined || authorizedKey === record.public_key;
    if (isCurrent && hasKey) return;
    this.renew(engine, record.id, hasKey ? undefined : record.public_key);
  }

  /**
   * Writes the present label of a computer to its machine, and `key` as the one that may log in. What
   * fails is written after the engine's next report.
   */
  renew(engine: Engine, id: string, key?: string): void {
    if (!isLabelling(engine) || this.#waiting.has(id)) return;
    this.#waiting.add(id);
    this.#queue
      .run(async () => {
        this.#waiting.delete(id);
        const record = this.#isClosed ? undefined : this.#store.computers.findById(id);
        if (record === undefined || record.status === 'deleting') return;
        if (key !== undefined) await engine.setAuthorizedKey(id, key);
        await engine.setLabel(id, this.of(record));
      })
      .catch(() => undefined);
  }

  close(): void {
    this.#isClosed = true;
  }

  #isCurrent(record: ComputerRecord, label: MachineLabel): boolean {
    try {
      return Object.entries(this.of(record)).every(([key, value]) => label[key] === value);
    } catch {
      // Without its key the service cannot write another one.
      return true;
    }
  }

  #sign(id: string, label: MachineLabel): string {
    const values = KEYS.map((key) => label[key] ?? '');
    return this.#store.sign(PURPOSE, JSON.stringify([this.#store.serviceId, id, ...values]));
  }
}
