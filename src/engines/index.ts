import type { EngineDescriptor } from './descriptor.js';
import { docker } from './docker/index.js';
import { incus } from './incus/index.js';
import { podman } from './podman/index.js';
import { qemu } from './qemu/index.js';

/** Every engine, in order of preference. A new engine is a folder and its entry here. */
export const engines: readonly EngineDescriptor[] = [docker, podman, qemu, incus];
