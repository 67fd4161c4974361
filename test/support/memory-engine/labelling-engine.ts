import type {
  Labelling,
  MachineLabel,
  MachineSpec,
  MachineState,
} from '../../../src/engines/engine.js';
import { FakeEngine } from '../fake-engine.js';

/** An engine in memory that stores labels. */
export class FakeLabellingEngine extends FakeEngine implements Labelling {
  readonly labels = new Map<string, MachineLabel>();
  readonly keys = new Map<string, string>();
  /** Makes {@link setAuthorizedKey} fail. */
  failure: Error | undefined;

  override async create(spec: MachineSpec): Promise<void> {
    await super.create(spec);
    this.labels.set(spec.id, spec.label ?? {});
    this.keys.set(spec.id, spec.authorizedKey);
  }

  async setLabel(id: string, label: MachineLabel): Promise<void> {
    this.labels.set(id, { ...this.labels.get(id), ...label });
  }

  async setAuthorizedKey(id: string, key: string): Promise<void> {
    if (this.failure) throw this.failure;
    this.keys.set(id, key);
  }

  override async list(): Promise<MachineState[]> {
    return (await super.list()).map((state) => ({
      ...{ ...state, label: this.labels.get(state.id) ?? {} },
      authorizedKey: this.keys.get(state.id) ?? '',
    }));
  }
}
