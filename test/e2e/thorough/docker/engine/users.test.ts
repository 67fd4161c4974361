import Docker from 'dockerode';
import { inject } from 'vitest';
import { testOwnUsers } from '../../../../support/service/own-users.js';

const docker = new Docker({ socketPath: inject('dockerHost').replace('unix://', '') });

testOwnUsers(async (_, id) => (await docker.getContainer(`vc-${id}`).inspect()).State.Pid);
