import { defineCommand } from '../../define.js';
import { changeProject, projectArgument } from '../../projects.js';

export const command = defineCommand({
  name: 'restart',
  summary: 'Stop and start every computer of a project',
  arguments: { project: projectArgument },
  options: {},
  examples: [{ does: 'Restart all computers of a project', command: 'vc project restart demo' }],
  run: (context, { project }) => changeProject(context, 'restartProject', project),
});
