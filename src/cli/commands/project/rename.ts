import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty, text } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, note, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { saveDefaultProject } from '../../targets/lookup/default-project.js';

export const command = defineCommand({
  name: 'rename',
  summary: 'Rename a project',
  details: [
    'Its computers keep their ids and continue to run, and API keys for the project remain for it. The',
    'old name is free at once. A default project in the profile in use is changed with it.',
  ].join(' '),
  arguments: {
    project: argument('project', 'name or id', nonEmpty, { completes: 'project' }),
    name: argument('name', 'new name', text),
  },
  options: {},
  fields: fields.project,
  examples: [{ does: 'Rename a project', command: 'vc project rename shop store' }],
  async run(context, { project: given, name }) {
    const { profile, project: current } = await context.settings();
    const params = { project: given };
    const project = await request(context, 'updateProject', { params, body: { name } });
    const isDefault = current?.source === 'profile' && current.value === given;
    const isSaved = isDefault && (await saveDefaultProject(context, project.name));
    if (context.globals.json) return void (await printJson(context, project));
    if (context.globals.quiet) return void (await print(context, project.id));
    await done(context, `renamed project ${given} to ${project.name}`);
    if (isSaved) {
      await note(
        context,
        `the default project is now ${project.name}, in profile ${profile.value}`,
      );
    }
    return undefined;
  },
});
