import { type EngineDescriptor, NO_SUDO, SPARES } from '../descriptor.js';

export const podman: EngineDescriptor = {
  name: 'podman',
  title: 'Podman',
  runsIn: 'containers',
  options: [NO_SUDO, SPARES],
  environment: [['CONTAINER_HOST', 'Podman service to use; by default vc starts its own']],
  open: async (stateDirectory, service) => {
    const { openPodman } = await import('./open.js');
    return openPodman(stateDirectory, service);
  },
  images: {
    methods: ['mmdebstrap'],
    prepare: async (request) =>
      (await import('../containers/images/build.js')).prepareImage(request),
    build: async (stateDirectory, request) => {
      const { connectPodman } = await import('./client.js');
      const { buildImage } = await import('../containers/images/build.js');
      return buildImage(connectPodman(stateDirectory), request);
    },
    remove: async (stateDirectory, name, signal) => {
      const { connectPodman } = await import('./client.js');
      const { removeImage } = await import('../containers/images/remove.js');
      return removeImage(connectPodman(stateDirectory), name, signal);
    },
  },
  setup: async () => (await import('./setup.js')).podmanSetup,
  checks: async () => {
    const { connectPodman } = await import('./client.js');
    const { obstacle } = await import('./open.js');
    const { containerChecks } = await import('../containers/checks/checks.js');
    // Podman's service is not started to find that there is nothing to check.
    if (await obstacle()) return [];
    const { checkInotify } = await import('./inotify.js');
    const inotify = { name: 'podman-inotify', title: 'inotify instances', run: checkInotify };
    return [...containerChecks('podman', connectPodman), inotify];
  },
};
