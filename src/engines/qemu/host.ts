import { join } from 'node:path';
import { execa } from 'execa';
import { ApiError } from '../../contract/errors.js';
import type { ComputerNetwork } from '../../contract/resources/network.js';
import { resolvesWithin } from '../../lib/async/deadline.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { MachineNetworks, Probe } from '../engine.js';
import { accelerationArguments } from './acceleration/boot-probe.js';
import { type KvmVerdict, probeKvm } from './acceleration/kvm.js';
import { names } from './disk/files.js';
import { FILES, type Layout } from './layout.js';
import type { NetworkPolicy } from './network/firewall-rules.js';
import { type MachineNetwork, type NetworkProbe, planNetwork } from './network/plan.js';
import { probeNetwork } from './network/probe.js';
import { toolVersion } from './tool-version.js';

const PROBE_MS = 4_000;

export const PROGRAM = 'qemu-system-x86_64';

/** This host's accelerator and the QEMU arguments that select it. */
export interface Acceleration {
  readonly kind: 'kvm' | 'tcg';
  readonly arguments: readonly string[];
}

/** What this host offers to QEMU. Everything is tested at first use and then cached. */
export class QemuHost {
  readonly layout: Layout;
  readonly #policy: NetworkPolicy;
  readonly #networks: () => MachineNetworks;
  #version: Promise<string> | undefined;
  #networkProbe: Promise<NetworkProbe> | undefined;
  #verdict: KvmVerdict | undefined;
  #zstd: Promise<boolean> | undefined;

  /** @param networks what single machines may reach at present */
  constructor(
    layout: Layout,
    policy: NetworkPolicy,
    networks: () => MachineNetworks = () => new Map(),
  ) {
    this.layout = layout;
    this.#policy = policy;
    this.#networks = networks;
  }

  /** True once the test VM has booted under KVM. */
  get accelerated(): boolean {
    return this.#verdict?.usable ?? false;
  }

  /** QEMU's version, for example `7.2.22`. Throws `engine_unavailable` if QEMU cannot be used. */
  version(): Promise<string> {
    this.#version ??= Promise.all([toolVersion(PROGRAM), toolVersion('qemu-img')])
      .then(([version]) => version)
      .catch((error) => {
        this.#version = undefined;
        throw error;
      });
    return this.#version;
  }

  /**
   * Throws `engine_unavailable` if QEMU was removed meanwhile. A timeout is no proof of that: QEMU
   * can be slow on a busy host.
   */
  async checkAgain(): Promise<void> {
    this.#version = undefined;
    await this.version().catch((error: Error) => {
      const isSlow = (error.cause as { readonly timedOut?: boolean } | undefined)?.timedOut;
      if (!isSlow) throw error;
    });
  }

  /** Whether zstd is installed. */
  canCompress(): Promise<boolean> {
    this.#zstd ??= execa('zstd', ['--version'], { reject: false }).then(({ failed }) => !failed);
    return this.#zstd;
  }

  /** What a machine may reach, within what all may. */
  networkOf(id: string): ComputerNetwork {
    return this.#networks().get(id) ?? 'internet';
  }

  /** The network for a machine that starts now, restricted to what it may reach itself. */
  async network(restricted?: ComputerNetwork): Promise<MachineNetwork> {
    this.#networkProbe ??= probeNetwork().catch((error) => {
      this.#networkProbe = undefined;
      throw error;
    });
    return planNetwork(await this.#networkProbe, this.#policy, restricted);
  }

  /** Tested with the kernel of one of our images; `tcg` until such an image is installed. */
  async acceleration(signal?: AbortSignal): Promise<Acceleration> {
    const verdict = (await this.kvmVerdict(signal)) ?? { usable: false, reason: 'not tested' };
    return { kind: verdict.usable ? 'kvm' : 'tcg', arguments: accelerationArguments(verdict) };
  }

  /** Found by booting a kernel of one of our images; undefined without such an image. */
  async kvmVerdict(signal?: AbortSignal): Promise<KvmVerdict | undefined> {
    const directory = this.#verdict ? undefined : await this.#imageWithKernel();
    if (directory !== undefined) {
      this.#verdict = await probeKvm({
        stateDirectory: this.layout.root,
        program: PROGRAM,
        kernel: join(directory, FILES.kernel),
        initrd: join(directory, FILES.initrd),
        ...(signal && { signal }),
      });
    }
    return this.#verdict;
  }

  async #imageWithKernel(): Promise<string | undefined> {
    for (const name of (await names(this.layout.images)).sort()) {
      const directory = join(this.layout.images, name);
      const files = await names(directory);
      if (files.includes(FILES.kernel) && files.includes(FILES.initrd)) return directory;
    }
    return undefined;
  }
}

/** Can QEMU be used here, and how fast is it? Never throws. */
export async function probeQemu(host: QemuHost): Promise<Probe> {
  try {
    const version = await host.version();
    const processor = await unlessSlow(
      host.acceleration().then(({ kind }) => (kind === 'kvm' ? 'KVM' : 'emulated')),
    );
    const network = await unlessSlow(host.network().then(({ mode }) => mode));
    const detail = `QEMU ${version}, processor: ${processor}, network: ${network}`;
    return { usable: true, version, detail };
  } catch (error) {
    const remedy = error instanceof ApiError ? error.remedy : undefined;
    const fallback = 'vc setup --engine qemu';
    return { usable: false, reason: errorMessage(error), remedy: remedy ?? fallback };
  }
}

async function unlessSlow(answer: Promise<string>): Promise<string> {
  return (await resolvesWithin(answer, PROBE_MS)) ? answer : 'not tried yet';
}
