import { MOST_RUNNING, MOST_STORAGE } from '../../../contract/constants.js';
import { argument, defineCommand, value } from '../../framework/define.js';
import { number, text } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { note, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Create an owner and its first API key',
  details: [
    'A name has 1 to 64 letters, digits, ".", "_", "@" or "-". The owner has projects, computers,',
    'API keys and a limit of its own, and sees nothing of other owners. The key is shown only once.',
  ].join(' '),
  arguments: { name: argument('name', 'name of the new owner', text) },
  options: {
    maxRunning: value(
      '--max-running <n>',
      'computers it may run at once',
      number({ min: 1, max: MOST_RUNNING, unit: 'computers' }),
      { otherwise: "the service's limit" },
    ),
    maxStorage: value(
      '--max-storage <gb>',
      'GB that its snapshots, images and volumes may take',
      number({ min: 0, max: MOST_STORAGE, unit: 'GB' }),
      { otherwise: "the service's limit" },
    ),
  },
  fields: fields.createdOwner,
  examples: [
    { does: 'Create an owner', command: 'vc owner create alice' },
    {
      does: 'Create one who may run ten computers, and save the key in a private file',
      command: '(umask 077; vc owner create ci --max-running 10 -q > ci.key)',
    },
  ],
  async run(context, { name }, { maxRunning, maxStorage }) {
    const body = {
      name,
      ...(maxRunning !== undefined && { max_running: maxRunning }),
      ...(maxStorage !== undefined && { max_storage: maxStorage }),
    };
    const created = await request(context, 'createOwner', { body });
    if (context.globals.json) return void (await printJson(context, created));
    await print(context, created.key.key);
    await note(context, `created owner ${created.name}; its key cannot be shown again`);
    await note(
      context,
      `to use it: vc login --profile ${created.name} ${(await context.settings()).baseUrl.value}`,
    );
  },
});
