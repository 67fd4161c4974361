import { argument, defineCommand, value } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, note, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'create',
  summary: 'Create an empty volume',
  details:
    'It is on one engine, whose computers can mount it, and stays when they are removed. Snapshots and images do not contain it.',
  arguments: { name: argument('name', 'name of the volume', nonEmpty) },
  options: {
    engine: value('--engine <name>', 'engine, by default the preferred one', nonEmpty, {
      completes: 'engine',
    }),
  },
  fields: fields.volume,
  examples: [
    { does: 'Create a volume', command: 'vc volume create data' },
    { does: 'Create it on Podman', command: 'vc volume create data --engine podman' },
  ],
  async run(context, { name }, { engine }) {
    const volume = await request(context, 'createVolume', { body: { name, engine } });
    if (context.globals.json) return void (await printJson(context, volume));
    if (context.globals.quiet) return void (await print(context, volume.name));
    await done(context, `created volume ${volume.name} on ${volume.engine}`);
    await note(context, `to mount it: vc create COMPUTER --volume ${volume.name}:/PATH`);
  },
});
