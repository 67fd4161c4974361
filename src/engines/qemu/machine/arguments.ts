import type { MachineSpec } from '../../engine.js';
import type { Acceleration } from '../host.js';
import { FILES } from '../layout.js';
import type { Message } from '../monitor/json-lines.js';
import type { MachineRecord } from './machine-record.js';

/** Must change with the machines' hardware: saved state only resumes on the same hardware. */
export const HARDWARE_VERSION = '3';

/** QEMU's names of the disk's block node and of its device. */
export const DISK = { node: 'disk', device: 'disk0' } as const;

export interface HardwareOptions {
  readonly acceleration: Pick<Acceleration, 'kind' | 'arguments'>;
  /** The network backend's arguments. */
  readonly network: readonly string[];
  readonly mac: string;
  /** VM generation id, new for each start: tells the guest that it may be a copy. */
  readonly generation: string;
  /**
   * The guest's memory: anonymous; a file that is to become a template's; or a private mapping of a
   * template's file.
   */
  readonly memory: 'own' | 'shared-file' | 'private-file';
  /** Wait for saved state instead of booting. */
  readonly resume: boolean;
}

type Machine = Pick<MachineRecord, 'image' | 'layers' | 'spec'>;

/** QEMU's arguments after the hardening ones. Paths are relative to the machine's directory. */
export function hardwareArguments(machine: Machine, options: HardwareOptions): string[] {
  const { spec } = machine;
  const mib = Math.round(spec.ram * 1024);
  const memory = `size=${mib}M,id=ram`;
  const backends = {
    // The server of volumes reads and writes in the guest's memory.
    own: hasVolumes(spec)
      ? `memory-backend-memfd,${memory},share=on`
      : `memory-backend-ram,${memory}`,
    'shared-file': `memory-backend-file,${memory},share=on,mem-path=${FILES.memory}`,
    'private-file': `memory-backend-file,${memory},share=off,mem-path=${FILES.memory}`,
  };
  const args = ['-display', 'none', '-object', backends[options.memory]];
  args.push('-m', `${mib}M`, '-smp', `${spec.cpu},sockets=1,cores=${spec.cpu},threads=1`);
  args.push(...options.acceleration.arguments);
  args.push('-device', `vmgenid,guid=${options.generation}`);
  args.push('-object', 'rng-random,filename=/dev/urandom,id=rng');
  args.push('-device', 'virtio-rng-pci,rng=rng');
  args.push(...socket('qmp', FILES.qmp), '-mon', 'chardev=qmp,mode=control');
  args.push('-blockdev', JSON.stringify(layerNode(machine.layers.at(-1) ?? '', DISK.node)));
  args.push(...(machine.image.kind === 'vc' ? ours(machine, options) : imported(machine, options)));
  if (options.resume) args.push('-incoming', 'defer');
  return args;
}

/**
 * Disables address space layout randomization. TCG translates code again for each new address;
 * with random addresses a command takes two and a half times as long.
 */
const NO_ASLR = 'norandmaps';

/** Our own images: virtio devices only, no display, three serial ports to the host. */
function ours(machine: Machine, { acceleration, network, mac }: HardwareOptions): string[] {
  const words = [machine.image.commandLine, 'console=ttyS0'];
  if (acceleration.kind === 'tcg') words.push(NO_ASLR);
  const args = ['-machine', 'q35,memory-backend=ram,hpet=off,vmport=off,sata=off,smbus=off'];
  args.push('-vga', 'none', '-kernel', FILES.kernel, '-initrd', FILES.initrd);
  args.push('-append', words.join(' '));
  // A ring buffer: endless output does not fill the host's disk.
  args.push('-chardev', 'ringbuf,id=console,size=65536', '-serial', 'chardev:console');
  args.push('-device', `virtio-blk-pci,id=${DISK.device},drive=${DISK.node},${FULL_DISK}`);
  args.push(...network, '-device', `virtio-net-pci,netdev=net0,mac=${mac},romfile=`);
  args.push('-device', 'virtio-serial-pci,id=ports,max_ports=4');
  for (const [index, port] of (['control', 'screen', 'shell'] as const).entries()) {
    const device = `virtserialport,id=${port},bus=ports.0,nr=${index + 1}`;
    args.push(...socket(port, FILES[port]));
    args.push('-device', `${device},chardev=${port},name=vc.${port}`);
  }
  if (hasVolumes(machine.spec)) {
    args.push('-chardev', `socket,id=volumes,path=${FILES.volumes}`);
    args.push('-device', 'vhost-user-fs-pci,chardev=volumes,tag=vc-volumes');
  }
  return args;
}

/** QEMU cannot save the memory of a machine with volumes, or start it from saved memory. */
export function hasVolumes({ volumes = [] }: Pick<MachineSpec, 'volumes'>): boolean {
  return volumes.length > 0;
}

/** Imported disks: devices that most systems have drivers for, and QEMU's own VNC server. */
function imported(machine: Machine, { network, mac }: HardwareOptions): string[] {
  const { width, height } = machine.spec.resolution;
  const windows = machine.image.os === 'windows';
  const display = `edid=on,xres=${width},yres=${height}`;
  const disk = `id=${DISK.device},drive=${DISK.node},bootindex=1,${FULL_DISK}`;
  const args = ['-machine', 'q35,memory-backend=ram,vmport=off,usb=on'];
  if (machine.image.firmware === 'uefi') args.push(...uefi());
  if (windows) args.push('-rtc', 'base=localtime');
  args.push('-vga', 'none', '-device', `${windows ? 'VGA' : 'virtio-vga'},${display}`);
  args.push('-vnc', `unix:${FILES.screen}`, '-device', 'usb-tablet', '-device', 'usb-kbd');
  args.push('-device', windows ? `ide-hd,bus=ide.0,${disk}` : `virtio-blk-pci,${disk}`);
  args.push(...network);
  args.push('-device', `${windows ? 'e1000e' : 'virtio-net-pci'},netdev=net0,mac=${mac}`);
  return args;
}

/** A full host disk pauses the guest instead of reporting an I/O error to it. */
const FULL_DISK = 'werror=stop,rerror=report';

/** A disk layer as a node of QEMU's block layer. Blocks that the guest discards are freed. */
export function layerNode(layer: string, name: string): Message {
  const file = { driver: 'file', filename: layer, aio: 'threads', discard: 'unmap' };
  const node = { driver: 'qcow2', 'node-name': name, file };
  return { ...node, discard: 'unmap', 'detect-zeroes': 'unmap' };
}

function socket(name: string, path: string): string[] {
  return ['-chardev', `socket,id=${name},path=${path},server=on,wait=off`];
}

function uefi(): string[] {
  const code = 'file=/usr/share/OVMF/OVMF_CODE_4M.fd,readonly=on';
  const variables = `file=${FILES.variables}`;
  return ['-drive', `if=pflash,format=raw,${code}`, '-drive', `if=pflash,format=raw,${variables}`];
}

/** The initial UEFI variables. */
export const NEW_VARIABLES = '/usr/share/OVMF/OVMF_VARS_4M.fd';
