import { join } from 'node:path';
import { assertMachineId } from '../machine-id.js';

/** File names in a machine's directory, which is QEMU's working directory. */
export const FILES = {
  record: 'machine.json',
  qmp: 'qmp.sock',
  screen: 'screen.sock',
  shell: 'shell.sock',
  control: 'control.sock',
  /** The guest's serial console, saved when the machine fails to start. */
  console: 'console.log',
  kernel: 'kernel',
  initrd: 'initrd',
  /** The image's disk, the lowest layer. */
  image: 'image.qcow2',
  /** Writable UEFI variables. */
  variables: 'vars.fd',
  /** The memory of a template, mapped by machines that start from it. */
  memory: 'memory',
  /** QEMU's migration stream: device state, and the memory unless it is mapped. */
  state: 'state',
  /** Here virtiofsd serves the machine's volumes. */
  volumes: 'volumes.sock',
  /** Listens while the state is saved. */
  migration: 'migration.sock',
} as const;

/** The paths below the engine's state directory. */
export class Layout {
  readonly root: string;
  readonly machines: string;
  readonly images: string;
  readonly templates: string;
  /** Machines of the warm pool. */
  readonly pool: string;
  /** Saved disks. */
  readonly saved: string;
  readonly volumes: string;

  /** @param root `<state>/qemu` */
  constructor(root: string) {
    this.root = root;
    this.machines = join(root, 'machines');
    this.images = join(root, 'images');
    this.templates = join(root, 'templates');
    this.pool = join(root, 'pool');
    this.saved = join(root, 'saved');
    this.volumes = join(root, 'volumes');
  }

  machine(id: string): string {
    assertMachineId(id);
    return join(this.machines, id);
  }

  warmMachine(id: string): string {
    assertMachineId(id);
    return join(this.pool, id);
  }

  savedDisk(id: string): string {
    assertMachineId(id);
    return join(this.saved, id);
  }
}
