import { defineCommand } from '../../framework/define.js';
import { changeProject, projectArgument } from '../../targets/projects.js';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop all computers of a project, keeping their disks',
  arguments: { project: projectArgument },
  options: {},
  examples: [{ does: 'Stop all computers of a project', command: 'vc project stop demo' }],
  run: (context, { project }) => changeProject(context, 'stopProject', project),
});
