import { ApiError } from '../../contract/errors.js';
import type { Clustered } from '../clustered.js';
import type { ServiceSettings } from '../descriptor.js';
import type { Engine, Mounting } from '../engine.js';
import { Cluster } from './client/cluster.js';
import { createIncusEngine } from './engine.js';
import { imageHash } from './images/recipe-hash.js';
import { NOT_SET_UP } from './probe.js';
import { readSettings } from './settings.js';

const NO_SERVICE: Pick<ServiceSettings, 'serviceId' | 'internet' | 'allowNetworks' | 'options'> = {
  serviceId: 'command-line',
  internet: true,
  allowNetworks: [],
  options: {},
};

/** The engine of a service; without a service it can only list images. */
export async function openIncus(
  stateDirectory: string,
  service: ServiceSettings | undefined,
): Promise<Engine> {
  const settings = await readSettings(stateDirectory);
  if (settings === undefined) return notSetUp();
  const { serviceId, internet, allowNetworks, options } = service ?? NO_SERVICE;
  if (allowNetworks.length > 0) {
    service?.onProblem(
      '--allow-network has no effect: the cluster decides what its network allows',
    );
  }
  const allowSudo = options['no-sudo'] !== true;
  return createIncusEngine({ cluster: new Cluster(settings), serviceId, internet, allowSudo });
}

/** Calls `work` with the cluster of a state directory, and closes the connections to it. */
export async function withCluster<T>(
  stateDirectory: string,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const settings = await readSettings(stateDirectory);
  if (settings === undefined) throw noCluster();
  const cluster = new Cluster(settings);
  try {
    return await work(cluster);
  } finally {
    await cluster.close();
  }
}

/** An engine that cannot be used before a cluster is set up. */
function notSetUp(): Engine & Clustered & Mounting {
  const fail = async () => {
    throw noCluster();
  };
  return {
    name: 'incus',
    capabilities: { os: ['linux', 'windows'], gpus: [], isolation: 'container' },
    probe: async () => NOT_SET_UP,
    images: async () => [],
    recipeHash: (image) => imageHash(image).catch(() => undefined),
    describe: fail,
    create: fail,
    start: fail,
    resize: fail,
    stop: fail,
    remove: fail,
    list: fail,
    dial: fail,
    members: fail,
    memberStates: fail,
    memberOf: fail,
    unlisted: fail,
    move: fail,
    createVolume: fail,
    removeVolume: fail,
    volumeBytes: fail,
    // biome-ignore lint/correctness/useYield: it fails before it has something to report
    async *watch() {
      throw noCluster();
    },
  };
}

function noCluster(): ApiError {
  return new ApiError('engine_unavailable', 'No cluster of LXD or Incus is set up.', {
    remedy: 'vc setup --engine incus',
  });
}
