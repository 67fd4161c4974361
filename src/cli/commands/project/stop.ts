import { defineCommand } from '../../define.js';
import { changeProject, projectArgument } from '../../projects.js';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop every computer of a project; disks stay',
  arguments: { project: projectArgument },
  options: {},
  examples: [{ does: 'Stop all computers of a project', command: 'vc project stop demo' }],
  run: (context, { project }) => changeProject(context, 'stopProject', project),
});
