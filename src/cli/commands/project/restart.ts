import { defineCommand } from '../../framework/define.js';
import { changeProject, projectArgument } from '../../targets/projects.js';

export const command = defineCommand({
  name: 'restart',
  summary: 'Restart all computers of a project',
  arguments: { project: projectArgument },
  options: {},
  examples: [{ does: 'Restart all computers of a project', command: 'vc project restart demo' }],
  run: (context, { project }) => changeProject(context, 'restartProject', project),
});
