import { CliError, UsageError } from '../../errors/cli-error.js';
import { defineCommand, flag, optional } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { done, note, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { saveDefaultProject } from '../../targets/lookup/default-project.js';

export const command = defineCommand({
  name: 'use',
  summary: 'Set the default project, for names without one',
  details: [
    'Saves it in the profile in use. -p and VC_PROJECT override it. Without a default project, new',
    'computers are created in the project `default`.',
  ].join(' '),
  arguments: { project: optional('project', 'name or id', nonEmpty, { completes: 'project' }) },
  options: { unset: flag('--unset', 'remove the setting') },
  examples: [
    { does: 'Use the project shop', command: 'vc project use shop' },
    { does: 'Remove the setting', command: 'vc project use --unset' },
  ],
  async run(context, { project: given }, { unset }) {
    if ((given === undefined) !== unset) throw new UsageError('give a project, or --unset');
    const project =
      given === undefined
        ? undefined
        : (await request(context, 'getProject', { params: { project: given } })).name;
    const { profile, baseUrl } = await context.settings();
    if (!(await saveDefaultProject(context, project))) {
      throw new CliError(`there is no profile for ${baseUrl.value} to save it in`, {
        remedy: 'log in: vc login; choose a profile with --profile; or set VC_PROJECT',
      });
    }
    if (context.globals.json)
      await printJson(context, { profile: profile.value, project: project ?? null });
    else {
      const what = project === undefined ? 'unset' : `now ${project}`;
      await done(context, `the default project is ${what}, in profile ${profile.value}`);
      const { VC_PROJECT } = context.env;
      if (VC_PROJECT) await note(context, `VC_PROJECT overrides it: ${VC_PROJECT}`);
    }
  },
});
