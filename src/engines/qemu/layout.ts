import { join } from 'node:path';
import { assertId } from './ids.js';

/** Names in a machine's directory. QEMU works in that directory: it is given no other path. */
export const FILES = {
  record: 'machine.json',
  qmp: 'qmp.sock',
  screen: 'screen.sock',
  shell: 'shell.sock',
  control: 'control.sock',
  /** The guest's serial console, written when there was something to complain about. */
  console: 'console.log',
  kernel: 'kernel',
  initrd: 'initrd',
  /** The image's disk: the lowest layer. */
  image: 'image.qcow2',
  /** Writable variables of a UEFI. */
  variables: 'vars.fd',
  /** A template's memory and the state of its devices. */
  memory: 'memory',
  state: 'state',
  /** Listens while memory is saved to or restored from a file. */
  migration: 'migration.sock',
} as const;

/** Where everything of the engine lies. */
export class Layout {
  readonly root: string;
  readonly machines: string;
  readonly images: string;
  readonly templates: string;
  /** Machines that are kept ready for whoever wants one. */
  readonly spares: string;

  /** @param root `<state>/qemu` */
  constructor(root: string) {
    this.root = root;
    this.machines = join(root, 'machines');
    this.images = join(root, 'images');
    this.templates = join(root, 'templates');
    this.spares = join(root, 'spares');
  }

  machine(id: string): string {
    assertId(id);
    return join(this.machines, id);
  }

  spare(id: string): string {
    assertId(id);
    return join(this.spares, id);
  }
}
