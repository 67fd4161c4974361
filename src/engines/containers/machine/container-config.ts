import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { MachineSpec } from '../../engine.js';
import { LABEL, machineName } from '../ids.js';

/** What the service and the Engine add to a machine's specification. */
export interface Host {
  readonly serviceId: string;
  /** Number of CPUs of the Engine's host. */
  readonly cpus: number;
  /** Of the service; a machine may still be without. */
  readonly allowSudo: boolean;
  /** False if its network leads nowhere. */
  readonly resolvesNames: boolean;
  /** The Engine's name or id of its image. */
  readonly image: string;
  /** The user and group that the machine runs as. */
  readonly uid: number;
  /** Where its sockets are on the Engine's host; `undefined`: in memory, in the container. */
  readonly socketDirectory: string | undefined;
  /** Its volumes. */
  readonly volumes: NonNullable<HostConfig['Mounts']>;
  /** Disk quota in GiB, if the Engine's storage driver supports quotas. */
  readonly diskGib: number | undefined;
  /** Made for the warm pool, with little processor time while other machines need it. */
  readonly isSpare: boolean;
}

/**
 * Weight of a machine's processor time among others. Every machine gets one: the Engine cannot take
 * back that of the warm pool, and a machine without one may have another weight (on version 2 of
 * control groups 100 in place of 39, until runc 1.3.2).
 */
export const CPU_SHARES = { usual: 1024, spare: 64 } as const;

/** Limits a container's log to 1 MB. */
export const LOG_CONFIG = {
  Type: 'local',
  Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' },
};

export const GIB = 2 ** 30;
const NANO = 1e9;

/**
 * Capabilities that sudo and apt need: to become root, write root's files and change the users of
 * files and processes. None for networks, devices, mounts, modules, tracing or the clock.
 */
const SUDO_CAPABILITIES = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'SETFCAP',
  'SETGID',
  'SETUID',
  'SYS_CHROOT',
];

/**
 * Leads nowhere (RFC 5737). The Engine's own resolver would ask a name server on the host's loopback
 * from the host, where the rules of the machine's network do not apply.
 */
const NO_RESOLVER = '192.0.2.1';

/** The configuration of a machine's container, with everything that isolates it from the host. */
export function containerConfig(spec: MachineSpec, host: Host): ContainerCreateOptions {
  return {
    name: machineName(spec.id),
    Image: host.image,
    Entrypoint: ['/usr/lib/vc/init'],
    Cmd: [],
    User: `${host.uid}:${host.uid}`,
    WorkingDir: '/home/user',
    Hostname: spec.hostName,
    Domainname: '',
    Env: [
      `VC_RESOLUTION=${spec.resolution.width}x${spec.resolution.height}`,
      `VC_AUTHORIZED_KEY=${spec.authorizedKey}`,
    ],
    Labels: {
      [LABEL.service]: host.serviceId,
      [LABEL.machine]: spec.id,
      [LABEL.uid]: `${host.uid}`,
      [LABEL.owner]: spec.ownerId,
      ...(host.isSpare ? { [LABEL.spare]: '1' } : { [LABEL.project]: spec.projectId }),
    },
    Tty: false,
    OpenStdin: false,
    StopSignal: 'SIGTERM',
    // Disable the image's own health check.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(spec, host),
  };
}

function hostConfig(spec: MachineSpec, host: Host): HostConfig & { CgroupnsMode: string } {
  const memory = spec.ram * GIB;
  const hasSudo = host.allowSudo && spec.sudo !== false;
  return {
    Init: true,
    RestartPolicy: { Name: 'no' },
    Privileged: false,
    CapDrop: ['ALL'],
    CapAdd: hasSudo ? SUDO_CAPABILITIES : [],
    // The Engine's default seccomp and AppArmor profiles stay in force.
    SecurityOpt: hasSudo ? [] : ['no-new-privileges'],
    IpcMode: 'private',
    CgroupnsMode: 'private',
    NetworkMode: machineName(spec.id),
    ...(host.resolvesNames ? {} : { Dns: [NO_RESOLVER] }),
    PublishAllPorts: false,
    PortBindings: {},
    ...limits(spec, host, memory),
    ...storage(host, memory),
    LogConfig: LOG_CONFIG,
  };
}

function limits(spec: MachineSpec, host: Host, memory: number): HostConfig {
  return {
    Memory: memory,
    // Equal to Memory: no swap.
    MemorySwap: memory,
    // The Engine refuses more CPUs than the host has.
    NanoCpus: Math.min(spec.cpu, host.cpus) * NANO,
    CpuShares: CPU_SHARES[host.isSpare ? 'spare' : 'usual'],
    PidsLimit: 2048,
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      // An Engine that cannot raise its own limits may have no more.
      { Name: 'nofile', Soft: 16_384, Hard: 16_384 },
    ],
    // If the host runs out of memory, the kernel kills a machine before the service.
    OomScoreAdj: 500,
  };
}

function storage(host: Host, memory: number): HostConfig {
  // Both count towards the machine's memory; browsers need much shared memory.
  const half = memory / 2;
  const { socketDirectory: directory, uid } = host;
  const owner = `mode=0700,uid=${uid},gid=${uid}`;
  const inMemory = { '/run/vc': `rw,nosuid,nodev,noexec,${owner},size=1048576,nr_inodes=256` };
  const BindOptions = { Propagation: 'rprivate' } as const;
  return {
    ShmSize: Math.min(half, GIB),
    Tmpfs: {
      '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${half}`,
      ...(directory === undefined ? inMemory : {}),
    },
    Mounts: [
      ...(directory === undefined
        ? []
        : [{ Type: 'bind' as const, Source: directory, Target: '/run/vc', BindOptions }]),
      ...host.volumes,
    ],
    ...(host.diskGib === undefined ? {} : { StorageOpt: { size: `${host.diskGib}G` } }),
  };
}
