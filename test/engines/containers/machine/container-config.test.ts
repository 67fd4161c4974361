import { describe, expect, it } from 'vitest';
import {
  CPU_SHARES,
  containerConfig,
  type Host,
} from '../../../../src/engines/containers/machine/container-config.js';
import type { MachineSpec } from '../../../../src/engines/engine.js';

const spec: MachineSpec = {
  id: 'cmp_1',
  ownerId: 'own_1',
  projectId: 'prj_1',
  os: 'linux',
  image: 'linux',
  cpu: 4,
  ram: 2,
  gpu: 'none',
  resolution: { width: 1280, height: 800 },
  authorizedKey: 'ssh-ed25519 AAAA',
  hostName: 'desk',
};
const host: Host = {
  serviceId: 'svc_1',
  image: 'vc/linux:latest',
  cpus: 8,
  allowSudo: false,
  resolvesNames: true,
  uid: 2_010_000_007,
  socketDirectory: '/state/machines/cmp_1',
  volumes: [],
  diskGib: undefined,
  isSpare: false,
};

describe("a machine's container", () => {
  it('has exactly this hardening', () => {
    expect(containerConfig(spec, host)).toMatchInlineSnapshot(`
      {
        "Cmd": [],
        "Domainname": "",
        "Entrypoint": [
          "/usr/lib/vc/init",
        ],
        "Env": [
          "VC_RESOLUTION=1280x800",
          "VC_AUTHORIZED_KEY=ssh-ed25519 AAAA",
        ],
        "Healthcheck": {
          "Test": [
            "NONE",
          ],
        },
        "HostConfig": {
          "CapAdd": [],
          "CapDrop": [
            "ALL",
          ],
          "CgroupnsMode": "private",
          "CpuShares": 1024,
          "Init": true,
          "IpcMode": "private",
          "LogConfig": {
            "Config": {
              "compress": "false",
              "max-file": "1",
              "max-size": "1m",
            },
            "Type": "local",
          },
          "Memory": 2147483648,
          "MemorySwap": 2147483648,
          "Mounts": [
            {
              "BindOptions": {
                "Propagation": "rprivate",
              },
              "Source": "/state/machines/cmp_1",
              "Target": "/run/vc",
              "Type": "bind",
            },
          ],
          "NanoCpus": 4000000000,
          "NetworkMode": "vc-cmp_1",
          "OomScoreAdj": 500,
          "PidsLimit": 2048,
          "PortBindings": {},
          "Privileged": false,
          "PublishAllPorts": false,
          "RestartPolicy": {
            "Name": "no",
          },
          "SecurityOpt": [
            "no-new-privileges",
          ],
          "ShmSize": 1073741824,
          "Tmpfs": {
            "/tmp": "rw,exec,nosuid,nodev,mode=1777,size=1073741824",
          },
          "Ulimits": [
            {
              "Hard": 0,
              "Name": "core",
              "Soft": 0,
            },
            {
              "Hard": 16384,
              "Name": "nofile",
              "Soft": 16384,
            },
          ],
        },
        "Hostname": "desk",
        "Image": "vc/linux:latest",
        "Labels": {
          "sh.vc.machine": "cmp_1",
          "sh.vc.owner": "own_1",
          "sh.vc.project": "prj_1",
          "sh.vc.service": "svc_1",
          "sh.vc.uid": "2010000007",
        },
        "OpenStdin": false,
        "StopSignal": "SIGTERM",
        "Tty": false,
        "User": "2010000007:2010000007",
        "WorkingDir": "/home/user",
        "name": "vc-cmp_1",
      }
    `);
  });

  it('has less processor time in the warm pool, and then as much as every other one', () => {
    const { HostConfig } = containerConfig(spec, { ...host, isSpare: true });
    expect(HostConfig?.CpuShares).toBe(64);
    expect(containerConfig(spec, host).HostConfig?.CpuShares).toBe(CPU_SHARES.usual);
  });

  it('asks no name server if its network leads nowhere', () => {
    expect(containerConfig(spec, host).HostConfig).not.toHaveProperty('Dns');
    const { HostConfig } = containerConfig(spec, { ...host, resolvesNames: false });
    expect(HostConfig?.Dns).toEqual(['192.0.2.1']);
  });

  it('has no sudo if its computer is to have none', () => {
    const without = containerConfig({ ...spec, sudo: false }, { ...host, allowSudo: true });
    expect(without).toEqual(containerConfig(spec, host));
  });

  it('has the capabilities that sudo needs only with allowSudo', () => {
    const { HostConfig } = containerConfig(spec, { ...host, allowSudo: true });
    expect(HostConfig?.CapDrop).toEqual(['ALL']);
    expect(HostConfig?.SecurityOpt).toEqual([]);
    expect(HostConfig?.CapAdd).toMatchInlineSnapshot(`
      [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "SETFCAP",
        "SETGID",
        "SETUID",
        "SYS_CHROOT",
      ]
    `);
    for (const capability of ['NET_ADMIN', 'NET_RAW', 'SYS_ADMIN', 'SYS_PTRACE', 'MKNOD']) {
      expect(HostConfig?.CapAdd).not.toContain(capability);
    }
  });

  it('has no more CPUs than the host', () => {
    const { HostConfig } = containerConfig(spec, { ...host, cpus: 2 });
    expect(HostConfig?.NanoCpus).toBe(2e9);
  });

  it('mounts nothing of the host if its sockets are in memory', () => {
    const { HostConfig } = containerConfig(spec, { ...host, socketDirectory: undefined });
    expect(HostConfig?.Mounts).toEqual([]);
    expect(HostConfig?.Tmpfs?.['/run/vc']).toBe(
      'rw,nosuid,nodev,noexec,mode=0700,uid=2010000007,gid=2010000007,size=1048576,nr_inodes=256',
    );
  });

  it('has a disk limit if the storage driver supports it', () => {
    const { HostConfig } = containerConfig(spec, { ...host, diskGib: 64 });
    expect(HostConfig?.StorageOpt).toEqual({ size: '64G' });
  });

  it('is refused for an invalid machine id', () => {
    for (const id of ['', '../x', 'A', 'a b', 'a/b', 'x'.repeat(41), '-v']) {
      expect(() => containerConfig({ ...spec, id }, host)).toThrow('is not a machine');
    }
  });
});
