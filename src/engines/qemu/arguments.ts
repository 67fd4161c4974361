import type { Acceleration } from './host.js';
import { FILES } from './layout.js';
import type { Message } from './qmp/json-lines.js';
import type { MachineRecord } from './record.js';

/** Changes when the hardware of machines does: what was saved with other hardware cannot go on. */
export const HARDWARE_VERSION = '3';

/** Node of the disk in QEMU, and the device that it is in. */
export const DISK = { node: 'disk', device: 'disk0' } as const;

export interface HardwareOptions {
  readonly acceleration: Pick<Acceleration, 'kind' | 'arguments'>;
  /** The network's own arguments. */
  readonly network: readonly string[];
  readonly mac: string;
  /** A new one a start: it tells the guest that it may have been copied. */
  readonly generation: string;
  /**
   * Where the guest's memory lies: its own; a file that is shared with whoever maps it, to become a
   * template; or a template's file, of which only changes are the machine's own.
   */
  readonly memory: 'own' | 'shared-file' | 'private-file';
  /** Wait for a saved state in place of booting. */
  readonly resume: boolean;
}

type Machine = Pick<MachineRecord, 'image' | 'layers' | 'spec'>;

/** QEMU's arguments after the hardening; every path is a name in the machine's directory. */
export function hardwareArguments(machine: Machine, options: HardwareOptions): string[] {
  const { spec } = machine;
  const mib = Math.round(spec.ram * 1024);
  const memory = `size=${mib}M,id=ram`;
  const backends = {
    own: `memory-backend-ram,${memory}`,
    'shared-file': `memory-backend-file,${memory},share=on,mem-path=${FILES.memory}`,
    'private-file': `memory-backend-file,${memory},share=off,mem-path=${FILES.memory}`,
  };
  return [
    ...['-display', 'none', '-object', backends[options.memory]],
    ...['-m', `${mib}M`, '-smp', `${spec.cpu},sockets=1,cores=${spec.cpu},threads=1`],
    ...options.acceleration.arguments,
    ...['-device', `vmgenid,guid=${options.generation}`],
    ...['-object', 'rng-random,filename=/dev/urandom,id=rng', '-device', 'virtio-rng-pci,rng=rng'],
    ...socket('qmp', FILES.qmp),
    ...['-mon', 'chardev=qmp,mode=control'],
    ...diskNode(machine.layers),
    ...(machine.image.kind === 'vc' ? ours(machine, options) : imported(machine, options)),
    ...(options.resume ? ['-incoming', 'defer'] : []),
  ];
}

/**
 * Programs lie at the same addresses each time they are run. QEMU translates code anew for every
 * address at which it meets it: a command takes two and a half times as long with random ones.
 */
const SAME_ADDRESSES = 'norandmaps';

/** Our own image: nothing but virtio, no display, three ports to talk through. */
function ours(machine: Machine, { acceleration, network, mac }: HardwareOptions): string[] {
  const words = [machine.image.commandLine, 'console=ttyS0'];
  if (acceleration.kind === 'tcg') words.push(SAME_ADDRESSES);
  return [
    ...['-machine', 'q35,memory-backend=ram,hpet=off,vmport=off,sata=off,smbus=off'],
    ...['-vga', 'none', '-kernel', FILES.kernel, '-initrd', FILES.initrd],
    ...['-append', words.join(' ')],
    // In memory and bounded: a guest that talks without end fills no disk.
    ...['-chardev', 'ringbuf,id=console,size=65536', '-serial', 'chardev:console'],
    ...['-device', `virtio-blk-pci,id=${DISK.device},drive=${DISK.node},${FULL_DISK}`],
    ...[...network, '-device', `virtio-net-pci,netdev=net0,mac=${mac},romfile=`],
    ...['-device', 'virtio-serial-pci,id=ports,max_ports=4'],
    ...(['control', 'screen', 'shell'] as const).flatMap((port, index) => [
      ...socket(port, FILES[port]),
      ...[
        '-device',
        `virtserialport,id=${port},bus=ports.0,nr=${index + 1},chardev=${port},name=vc.${port}`,
      ],
    ]),
  ];
}

/** Somebody's system as it is: hardware that it has drivers for, and QEMU's own screen. */
function imported(machine: Machine, { network, mac }: HardwareOptions): string[] {
  const { width, height } = machine.spec.resolution;
  const windows = machine.image.os === 'windows';
  const display = `edid=on,xres=${width},yres=${height}`;
  return [
    ...['-machine', 'q35,memory-backend=ram,vmport=off,usb=on'],
    ...(machine.image.firmware === 'uefi' ? uefi() : []),
    ...(windows ? ['-rtc', 'base=localtime'] : []),
    ...['-vga', 'none', '-device', `${windows ? 'VGA' : 'virtio-vga'},${display}`],
    ...['-vnc', `unix:${FILES.screen}`, '-device', 'usb-tablet', '-device', 'usb-kbd'],
    ...[
      '-device',
      windows
        ? `ide-hd,bus=ide.0,id=${DISK.device},drive=${DISK.node},bootindex=1,${FULL_DISK}`
        : `virtio-blk-pci,id=${DISK.device},drive=${DISK.node},bootindex=1,${FULL_DISK}`,
    ],
    ...[...network, '-device', `${windows ? 'e1000e' : 'virtio-net-pci'},netdev=net0,mac=${mac}`],
  ];
}

/** No room on the host pauses the guest, which is told nothing, until there is some again. */
const FULL_DISK = 'werror=stop,rerror=report';

/** A disk layer as a node of QEMU's block layer: what the guest gives back the host gets back. */
export function layerNode(layer: string, name: string): Message {
  const file = { driver: 'file', filename: layer, aio: 'threads', discard: 'unmap' };
  const node = { driver: 'qcow2', 'node-name': name, file };
  return { ...node, discard: 'unmap', 'detect-zeroes': 'unmap' };
}

function diskNode(layers: readonly string[]): string[] {
  return ['-blockdev', JSON.stringify(layerNode(layers.at(-1) ?? '', DISK.node))];
}

function socket(name: string, path: string): string[] {
  return ['-chardev', `socket,id=${name},path=${path},server=on,wait=off`];
}

function uefi(): string[] {
  const code = '/usr/share/OVMF/OVMF_CODE_4M.fd';
  return [
    ...['-drive', `if=pflash,format=raw,readonly=on,file=${code}`],
    ...['-drive', `if=pflash,format=raw,file=${FILES.variables}`],
  ];
}

/** What a UEFI's variables are at first. */
export const NEW_VARIABLES = '/usr/share/OVMF/OVMF_VARS_4M.fd';
