import type Docker from 'dockerode';
import { count } from '../../lib/text/count.js';
import type { EngineRemoval } from '../descriptor.js';
import { dialectOf } from './dialect.js';
import { Helpers } from './helper.js';
import { LABEL } from './ids.js';
import { currentImages } from './images/list.js';
import { findAbandoned, removeRules } from './network/abandoned.js';
import { listGuards } from './network/guard.js';
import { isOwnerGone } from './network/guard-owner.js';
import { listContainers } from './requests.js';

/** What is removed from an engine of containers. */
export function containerRemoval(
  connect: (stateDirectory: string) => Docker | Promise<Docker>,
): Omit<EngineRemoval, 'steps'> {
  return {
    usedBy: async (stateDirectory, signal) => {
      const docker = await connect(stateDirectory);
      const containers = await listContainers(docker, { label: [LABEL.service] }, signal);
      // Those of the warm pool are no computers.
      const computers = containers.filter(
        ({ Labels, State }) => !(Labels[LABEL.spare] && State === 'paused'),
      );
      if (computers.length > 0) return count(computers.length, 'computer');
      const guards = await listGuards(docker);
      const gone = await Promise.all(
        guards.map(({ Labels }) => isOwnerGone(docker, Labels[LABEL.process])),
      );
      return gone.every(Boolean) ? undefined : 'a service';
    },
    leftovers: async (stateDirectory, signal) => {
      const docker = await connect(stateDirectory);
      const images = await currentImages(docker, signal);
      // They are listed and removed by a program in the image.
      if (!images.some(({ os }) => os === 'linux')) return [];
      const helper = new Helpers(docker, 'command-line');
      const abandoned = await findAbandoned(docker, helper, undefined, signal);
      return abandoned.map((rules) => ({
        title: `the firewall rules ${rules.table} of ${dialectOf(docker).title}`,
        remove: (during) => removeRules(docker, helper, rules, during),
      }));
    },
  };
}
