import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { inspect } from 'node:util';
import Docker from 'dockerode';
import { untyped } from '../containers/client.js';
import { type Dialect, speak } from '../containers/dialect.js';
import { LOG_CONFIG } from '../containers/machine/container-config.js';

export const dockerDialect: Dialect = {
  name: 'docker',
  title: 'Docker',
  engine: 'Docker Engine',
  program: 'docker',
  silent: { reason: 'no Docker Engine is running', remedy: 'vc setup --engine docker' },
  start: { program: '/usr/bin/dockerd', command: 'sudo systemctl start docker' },
  denied: {
    reason: 'this user may not use the Docker Engine',
    remedy: 'sudo usermod -aG docker "$USER" && newgrp docker',
  },
  restart: 'sudo systemctl restart docker',
  mapsUsers: false,
  hasResolver: true,
  mountsToCommit: true,
  readsImports: false,
  needsNetworkFirst: false,
  version: (docker, abortSignal) => untyped(docker).version({ abortSignal }),
  facts: async (docker, abortSignal) => {
    const { NCPU, SecurityOptions } = await untyped(docker).info({ abortSignal });
    const isRemapped = (SecurityOptions ?? []).some((text) =>
      /^name=(userns|rootless)\b/.test(text),
    );
    return { cpus: NCPU, isRemapped };
  },
  ulimits: [],
  logConfig: LOG_CONFIG,
  adapt: (config) => config,
  setLimits: (docker, container, { shares, cpus, memory }, abortSignal) =>
    docker.getContainer(container).update({
      CpuShares: shares,
      NanoCpus: cpus && cpus * 1e9,
      Memory: memory,
      MemorySwap: memory,
      abortSignal,
    }),
  createNetwork: (docker, { name, bridge, subnet, mtu, labels }, abortSignal) =>
    docker.createNetwork({
      Name: name,
      Driver: 'bridge',
      CheckDuplicate: true,
      EnableIPv6: false,
      IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
      Options: {
        'com.docker.network.bridge.name': bridge,
        'com.docker.network.bridge.enable_icc': 'false',
        ...(mtu !== undefined && { 'com.docker.network.driver.mtu': `${mtu}` }),
      },
      Labels: { ...labels },
      abortSignal,
    }),
};

/**
 * A client of the Engine that `DOCKER_HOST`, `DOCKER_TLS_VERIFY` and `DOCKER_CERT_PATH` specify, by
 * default the local one. No keep-alive: a kept connection fails once after the Engine restarts.
 */
export function connectDocker(options?: Docker.DockerOptions): Docker {
  const docker = new Docker(options);
  const { modem } = untyped(docker);
  const agent = modem.protocol === 'https' ? new TlsAgent() : new Agent();
  // docker-modem formats all of a request's options for a debug message that is rarely printed. An
  // agent refers to every open connection, so that each request would format all of them.
  modem.agent = Object.assign(agent, { [inspect.custom]: () => 'Agent' });
  return speak(docker, dockerDialect);
}
