import { defineCommand } from '../../framework/define.js';
import { changeProject, projectArgument } from '../../targets/projects.js';

export const command = defineCommand({
  name: 'start',
  summary: 'Start all computers of a project',
  arguments: { project: projectArgument },
  options: {},
  examples: [{ does: 'Start all computers of a project', command: 'vc project start demo' }],
  run: (context, { project }) => changeProject(context, 'startProject', project),
});
