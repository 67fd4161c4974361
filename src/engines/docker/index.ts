import { type EngineDescriptor, NO_SUDO, SPARES } from '../descriptor.js';

export const docker: EngineDescriptor = {
  name: 'docker',
  title: 'Docker',
  runsIn: 'containers',
  options: [NO_SUDO, SPARES],
  environment: [['DOCKER_HOST', 'Docker Engine to use, for example unix:///var/run/docker.sock']],
  open: async (stateDirectory, service) => {
    const { connectDocker } = await import('./client.js');
    const { openContainers } = await import('../containers/open.js');
    return openContainers(connectDocker(), stateDirectory, service);
  },
  images: {
    methods: ['mmdebstrap', 'dockerfile'],
    prepare: async (request) =>
      (await import('../containers/images/build.js')).prepareImage(request),
    build: async (_, request) => {
      const { connectDocker } = await import('./client.js');
      const { buildImage } = await import('../containers/images/build.js');
      return buildImage(connectDocker(), request);
    },
    remove: async (_, name, signal) => {
      const { connectDocker } = await import('./client.js');
      const { removeImage } = await import('../containers/images/remove.js');
      return removeImage(connectDocker(), name, signal);
    },
  },
  setup: async () => (await import('./setup.js')).dockerSetup,
  checks: async () => {
    const { connectDocker } = await import('./client.js');
    const { containerChecks } = await import('../containers/checks/checks.js');
    return containerChecks('docker', () => connectDocker());
  },
};
