import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { MachineSpec } from '../engine.js';
import { imageTag, LABEL, machineName } from './ids.js';

/** What is the same for every machine of a service on this Engine. */
export interface Host {
  readonly serviceId: string;
  /** CPUs of the Engine's machine. */
  readonly cpus: number;
  readonly allowSudo: boolean;
  /** Where the machine's socket directory is on the Engine's machine; `undefined` for a relay. */
  readonly socketDirectory: string | undefined;
  /** GiB that a machine may write, where the Engine's storage driver has quotas. */
  readonly diskGib: number | undefined;
}

const GIB = 2 ** 30;
const NANO = 1e9;

/**
 * What sudo and apt need to become root, write root's files and give files and processes to other
 * users. Not among them: anything about networks, devices, mounts, modules, tracing or the clock.
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

/** The machine as a container. Everything that keeps it apart from its host stands here. */
export function containerConfig(spec: MachineSpec, host: Host): ContainerCreateOptions {
  return {
    name: machineName(spec.id),
    Image: imageTag(spec.image),
    Entrypoint: ['/usr/lib/vc/init'],
    Cmd: [],
    User: '1000:1000',
    WorkingDir: '/home/user',
    Hostname: 'computer',
    Domainname: '',
    Env: [
      `VC_RESOLUTION=${spec.resolution.width}x${spec.resolution.height}`,
      `VC_AUTHORIZED_KEY=${spec.authorizedKey}`,
    ],
    Labels: {
      [LABEL.service]: host.serviceId,
      [LABEL.machine]: spec.id,
      [LABEL.owner]: spec.ownerId,
      [LABEL.project]: spec.projectId,
    },
    Tty: false,
    OpenStdin: false,
    StopSignal: 'SIGTERM',
    // An image may bring a check of its own, which would run as long as the machine does.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(spec, host),
  };
}

function hostConfig(spec: MachineSpec, host: Host): HostConfig & { CgroupnsMode: string } {
  const memory = spec.ram * GIB;
  return {
    Init: true,
    RestartPolicy: { Name: 'no' },
    Privileged: false,
    CapDrop: ['ALL'],
    CapAdd: host.allowSudo ? SUDO_CAPABILITIES : [],
    // Not named here and therefore in force: the Engine's default seccomp and AppArmor profiles.
    SecurityOpt: host.allowSudo ? [] : ['no-new-privileges'],
    IpcMode: 'private',
    CgroupnsMode: 'private',
    NetworkMode: machineName(spec.id),
    PublishAllPorts: false,
    PortBindings: {},
    ...limits(spec, host, memory),
    ...storage(host, memory),
    LogConfig: { Type: 'local', Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' } },
  };
}

function limits(spec: MachineSpec, host: Host, memory: number): HostConfig {
  return {
    Memory: memory,
    // The same number for both together: no swap.
    MemorySwap: memory,
    // The Engine refuses more than there are; a machine made for more then has all of them.
    NanoCpus: Math.min(spec.cpu, host.cpus) * NANO,
    PidsLimit: 2048,
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      // Not more than an Engine without the right to raise limits has itself.
      { Name: 'nofile', Soft: 16_384, Hard: 16_384 },
    ],
    // When the host runs out of memory, it is a machine that goes, not the service.
    OomScoreAdj: 500,
  };
}

function storage(host: Host, memory: number): HostConfig {
  // Both count as the machine's memory; a browser needs much shared memory.
  const half = memory / 2;
  const relayed = { '/run/vc': 'rw,nosuid,nodev,noexec,mode=0700,uid=1000,gid=1000,size=1048576' };
  return {
    ShmSize: Math.min(half, GIB),
    Tmpfs: {
      '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${half}`,
      ...(host.socketDirectory === undefined ? relayed : {}),
    },
    Mounts:
      host.socketDirectory === undefined
        ? []
        : [
            {
              Type: 'bind',
              Source: host.socketDirectory,
              Target: '/run/vc',
              BindOptions: { Propagation: 'rprivate' },
            },
          ],
    ...(host.diskGib === undefined ? {} : { StorageOpt: { size: `${host.diskGib}G` } }),
  };
}
