import { readFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { ApiError } from '../../contract/errors.js';
import { accelerationArguments, type KvmVerdict, probeKvm } from './acceleration/index.js';
import { names } from './files.js';
import { FILES, type Layout } from './layout.js';
import {
  type MachineNetwork,
  type NetworkPolicy,
  type NetworkProbe,
  planNetwork,
  probeNetwork,
} from './network/index.js';

export const PROGRAM = 'qemu-system-x86_64';
/** The oldest QEMU that has all that is used here. */
const OLDEST = 6;
const TOOL_MS = 4_000;

/** How this host accelerates machines, and what QEMU is told about it. */
export interface Acceleration {
  readonly kind: 'kvm' | 'tcg';
  readonly arguments: readonly string[];
}

/** What this host has for QEMU; each thing is found out once, when it is first needed. */
export class Host {
  readonly layout: Layout;
  readonly #policy: NetworkPolicy;
  #version: Promise<string> | undefined;
  #networkProbe: Promise<NetworkProbe> | undefined;
  #verdict: KvmVerdict | undefined;

  constructor(layout: Layout, policy: NetworkPolicy) {
    this.layout = layout;
    this.#policy = policy;
  }

  /** True once a guest was really booted with KVM. */
  get accelerated(): boolean {
    return this.#verdict?.usable ?? false;
  }

  /** QEMU's version, for example `7.2.22`. Throws `engine_unavailable` when it cannot be used. */
  version(): Promise<string> {
    this.#version ??= Promise.all([toolVersion(PROGRAM), toolVersion('qemu-img')])
      .then(([version]) => version)
      .catch((error) => {
        this.#version = undefined;
        throw error;
      });
    return this.#version;
  }

  /** The network of a machine that is started now: it knows the host's addresses of today. */
  async network(): Promise<MachineNetwork> {
    this.#networkProbe ??= probeNetwork().catch((error) => {
      this.#networkProbe = undefined;
      throw error;
    });
    return planNetwork(await this.#networkProbe, this.#policy);
  }

  /** Proved by booting a kernel of ours; without an image of ours nothing can be proved. */
  async acceleration(signal?: AbortSignal): Promise<Acceleration> {
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
    const verdict = this.#verdict ?? { usable: false, reason: 'there is no image to try it with' };
    return { kind: verdict.usable ? 'kvm' : 'tcg', arguments: accelerationArguments(verdict) };
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

/** Bytes of memory that programs could still be given. */
export async function spareMemory(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kib = /^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1];
  return kib === undefined ? freemem() : Number(kib) * 1024;
}

async function toolVersion(program: string): Promise<string> {
  const result = await execa(program, ['--version'], { reject: false, timeout: TOOL_MS });
  const version = /version (\d+\.[\d.]+)/.exec(result.failed ? '' : result.stdout)?.[1];
  const remedy = 'Try: vc setup --engine qemu';
  if (version === undefined) {
    const missing = result.code === 'ENOENT';
    const why = missing ? 'is not installed' : `does not run: ${result.shortMessage}`;
    throw new ApiError('engine_unavailable', `${program} ${why}. ${remedy}`, { cause: result });
  }
  if (Number.parseInt(version, 10) >= OLDEST) return version;
  const message = `${program} ${version} is too old; ${OLDEST}.0 is needed. ${remedy}`;
  throw new ApiError('engine_unavailable', message);
}
