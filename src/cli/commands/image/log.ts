import { argument, defineCommand } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { nonEmpty } from '../../input/parse.js';
import { note, printJson } from '../../output/print.js';

export const command = defineCommand({
  name: 'log',
  summary: 'Print the log of the build that made an image',
  details: 'Prints the last 256 KiB. Only images that were built from a Dockerfile have a log.',
  arguments: { image: argument('image', 'its name', nonEmpty, { completes: 'image' }) },
  options: {},
  fields: ['name', 'log'],
  examples: [{ does: 'Print how an image was built', command: 'vc image log mybox' }],
  async run(context, { image }) {
    const client = await context.client();
    const request = { params: { image }, signal: context.interrupts.signal };
    const { data } = await client.requestBytes('getImageLog', 'text/plain', request);
    const log = Buffer.from(data).toString();
    if (context.globals.json) await printJson(context, { name: image, log });
    else if (log === '') await note(context, `${image} has no log of a build`);
    else await write(context.io.stdout, log);
  },
});
