import type { EngineName } from '../engine-choice.js';
import { localEngine } from '../local-engines.js';
import type { Check, Finding, Surroundings } from './check.js';

const titles: Readonly<Record<EngineName, string>> = { docker: 'Docker Engine', qemu: 'QEMU' };

/** A check about one engine: vc can be used without it as long as there is another. */
function about(
  section: EngineName,
  name: string,
  title: string,
  run: (surroundings: Surroundings) => Promise<Finding>,
): Check {
  return { name, title, section, needed: false, where: 'host', run };
}

function engineCheck(name: EngineName): Check {
  return about(name, name, titles[name], async (surroundings) => {
    const probe = await (await localEngine(name, surroundings)).probe(surroundings.signal);
    if (probe.usable) return { status: 'ok', detail: probe.detail };
    return { status: 'missing', detail: probe.reason, remedy: probe.remedy };
  });
}

function imagesCheck(name: EngineName): Check {
  return about(name, `${name}-images`, 'Images', async (surroundings) => {
    const { signal } = surroundings;
    const engine = await localEngine(name, surroundings);
    if (!(await engine.probe(signal)).usable) {
      return { status: 'skipped', detail: `${titles[name]} cannot be used` };
    }
    const images = (await engine.images(signal)).map(({ name }) => name);
    if (images.length > 0) return { status: 'ok', detail: images.join(', ') };
    const remedy = `vc image build linux --engine ${name}`;
    return { status: 'missing', detail: 'none', remedy };
  });
}

export const dockerChecks: readonly Check[] = [engineCheck('docker'), imagesCheck('docker')];

const acceleration = about('qemu', 'qemu-acceleration', 'Acceleration', async (surroundings) => {
  const { kvmVerdict } = await import('./kvm.js');
  const verdict = await kvmVerdict(surroundings);
  if (verdict === undefined) {
    return { status: 'skipped', detail: 'tried with the first image; emulated until then' };
  }
  if (verdict.usable) return { status: 'ok', detail: 'KVM: a guest has booted with it' };
  // Emulated machines work; where the hardware lends none, nothing mends that.
  return { status: 'ok', detail: `none, machines are emulated: ${verdict.reason}` };
});

const network = about('qemu', 'qemu-network', 'Network filter', async ({ signal }) => {
  const { probeNetwork } = await import('../../engines/qemu/network/index.js');
  const probe = await probeNetwork(signal);
  if (probe.usable) return { status: 'ok', detail: probe.detail };
  const without = `${probe.reason}; machines work, but have no network`;
  return { status: 'missing', detail: without, remedy: probe.remedy };
});

const templates = about('qemu', 'qemu-templates', 'Templates', async (surroundings) => {
  const { localQemu } = await import('../local-engines.js');
  const engine = await localQemu(surroundings);
  if (!(await engine.probe(surroundings.signal)).usable) {
    return { status: 'skipped', detail: 'QEMU cannot be used' };
  }
  const found = await engine.templates();
  const fresh = found.filter(({ stale }) => !stale).map(describe);
  if (fresh.length > 0) return { status: 'ok', detail: fresh.join('; ') };
  const detail = 'none: the first computer of a shape boots, which takes longer';
  return { status: found.length > 0 ? 'stale' : 'missing', detail, remedy: 'vc image warm linux' };
});

function describe(template: {
  readonly image: string;
  readonly cpu: number;
  readonly ram: number;
  readonly resolution: { readonly width: number; readonly height: number };
}): string {
  const { image, cpu, ram, resolution } = template;
  return `${image} with ${cpu} cores, ${ram} GB, ${resolution.width}x${resolution.height}`;
}

export const qemuChecks: readonly Check[] = [
  engineCheck('qemu'),
  acceleration,
  network,
  imagesCheck('qemu'),
  templates,
];
