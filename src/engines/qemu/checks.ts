import { join } from 'node:path';
import type { EngineCheck } from '../descriptor.js';
import type { Template } from '../engine.js';
import { openQemu } from './engine.js';
import { QemuHost } from './host.js';
import { Layout } from './layout.js';
import { probeNetwork } from './network/probe.js';

const NO_POLICY = { internet: true, allowNetworks: [] };

const acceleration: EngineCheck = {
  name: 'qemu-acceleration',
  title: 'Acceleration',
  async run(stateDirectory, signal) {
    const host = new QemuHost(new Layout(join(stateDirectory, 'qemu')), NO_POLICY);
    const verdict = await host.kvmVerdict(signal);
    if (verdict === undefined) {
      return { status: 'skipped', detail: 'tested with the first image; emulated until then' };
    }
    if (verdict.usable) return { status: 'ok', detail: 'KVM: a guest has booted with it' };
    const { reason, remedy } = verdict;
    // Emulated machines work, and missing hardware has no remedy.
    return { status: 'ok', detail: `none, machines are emulated: ${reason}`, remedy };
  },
};

const network: EngineCheck = {
  name: 'qemu-network',
  title: 'Network filter',
  async run(_, signal) {
    const probe = await probeNetwork(signal);
    if (probe.usable) return { status: 'ok', detail: probe.detail };
    const detail = `${probe.reason}; machines work, but have no network`;
    return { status: 'missing', detail, remedy: probe.remedy };
  },
};

const templates: EngineCheck = {
  name: 'qemu-templates',
  title: 'Templates',
  async run(stateDirectory, signal) {
    const engine = openQemu(stateDirectory);
    if (!(await engine.probe(signal)).usable) {
      return { status: 'skipped', detail: 'QEMU cannot be used' };
    }
    const found = await engine.templates();
    const fresh = found.filter(({ stale }) => !stale).map(described);
    if (fresh.length > 0) return { status: 'ok', detail: fresh.join('; ') };
    const detail = 'none: the first computer of a shape boots, which takes longer';
    const status = found.length > 0 ? 'stale' : 'missing';
    return { status, detail, remedy: 'vc image warm linux' };
  },
};

function described({ image, cpu, ram, resolution }: Template): string {
  return `${image} with ${cpu} cores, ${ram} GB, ${resolution.width}x${resolution.height}`;
}

export const qemuChecks: readonly EngineCheck[] = [acceleration, network, templates];
