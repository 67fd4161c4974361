import { describe, expect, it } from 'vitest';
import { macAddress } from '../../../../src/engines/qemu/ids.js';
import { hardwareArguments } from '../../../../src/engines/qemu/machine/arguments.js';

const spec = {
  id: 'cmp_one',
  ownerId: 'owner',
  projectId: 'project',
  os: 'linux' as const,
  image: 'linux',
  cpu: 2,
  ram: 4,
  gpu: 'none',
  resolution: { width: 1280, height: 800 },
  authorizedKey: 'ssh-ed25519 AAAA',
  hostName: 'desk',
};
const image = {
  kind: 'vc' as const,
  os: 'linux' as const,
  identity: 'i',
  firmware: 'bios' as const,
  commandLine: 'quiet',
  user: 'user',
  privateKey: null,
  diskBytes: 1 << 30,
};
const options = {
  acceleration: { kind: 'tcg' as const, arguments: ['-accel', 'tcg'] },
  network: ['-netdev', 'user,id=net0'],
  mac: macAddress('cmp_one'),
  generation: 'd5e1a1a0-0000-4000-8000-000000000000',
  memory: 'own' as const,
  resume: false,
};
const line = (change: object, more: object = {}) =>
  hardwareArguments(
    { spec, image: { ...image, ...change }, layers: ['image.qcow2', 'disk-1.qcow2'] },
    { ...options, ...more },
  ).join(' ');

describe("QEMU's arguments", () => {
  it('refer to world-readable files only outside of the working directory', () => {
    for (const kind of ['vc', 'disk'] as const) {
      for (const firmware of ['bios', 'uefi'] as const) {
        const paths = line({ kind, firmware }).match(/(?<![\w/])\/[\w/.-]+/g) ?? [];
        for (const path of paths) expect(path).toMatch(/^\/(dev\/urandom|usr\/share\/OVMF\/)/);
      }
    }
  });

  it('give an image of vc its ports and no display', () => {
    const ours = line({});
    for (const port of ['control', 'screen', 'shell']) expect(ours).toContain(`name=vc.${port}`);
    expect(ours).not.toContain('-vnc');
    expect(ours).toContain('-append quiet console=ttyS0');
    const accelerated = { acceleration: { kind: 'kvm' as const, arguments: ['-accel', 'kvm'] } };
    expect(ours).toContain('norandmaps');
    expect(line({}, accelerated)).not.toContain('norandmaps');
    expect(ours).toContain('"filename":"disk-1.qcow2"');
  });

  it('give Windows devices that it has drivers for', () => {
    const windows = line({ kind: 'disk', os: 'windows' });
    expect(windows).toContain('VGA,edid=on,xres=1280,yres=800');
    expect(windows).toContain('e1000e');
    expect(windows).toContain('ide-hd');
    expect(windows).toContain('usb-tablet');
    expect(windows).toContain('-vnc unix:screen.sock');
    expect(windows).not.toContain('virtio-blk');
  });

  it('never let a machine change the memory of its template', () => {
    expect(line({}, { memory: 'private-file' })).toContain('share=off');
    expect(line({}, { memory: 'own' })).not.toContain('memory-backend-file');
  });
});

describe('host names and MAC addresses', () => {
  it('are unique and valid', () => {
    expect(macAddress('one')).toMatch(/^52:54:00(:[0-9a-f]{2}){3}$/);
    expect(macAddress('one')).not.toBe(macAddress('two'));
  });

  it('have the volumes and memory that their server can map, for a machine with volumes only', () => {
    const volumes = [{ id: 'vol_a', path: '/data', readOnly: false }];
    const machine = { spec: { ...spec, volumes }, image, layers: ['image.qcow2', 'disk-1.qcow2'] };
    const served = hardwareArguments(machine, options).join(' ');
    expect(served).toContain('-object memory-backend-memfd,size=4096M,id=ram,share=on ');
    expect(served).toContain('-device vhost-user-fs-pci,chardev=volumes,tag=vc-volumes');
    expect(line({})).not.toMatch(/memfd|vhost/);
  });
});
