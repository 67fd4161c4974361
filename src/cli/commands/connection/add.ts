import { argument, defineCommand, flag } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { readAll } from '../../input/script/stdin.js';
import { fields } from '../../output/fields.js';
import { done, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';

export const command = defineCommand({
  name: 'add',
  aliases: ['create'],
  summary: 'Add an RTMP target',
  details: [
    'Prompts for the stream key without echo. It is not an argument, because other users could see it.',
    'Leave it empty if the URL contains the key. The service stores the key encrypted and never shows',
    'it again.',
  ].join(' '),
  arguments: {
    name: argument('name', 'name of the connection', nonEmpty),
    url: argument('url', 'rtmp or rtmps URL, without the stream key', nonEmpty),
  },
  options: { keyStdin: flag('--key-stdin', 'read the stream key from stdin') },
  fields: fields.connection,
  examples: [
    {
      does: 'Add a target, with a prompt for its key',
      command: 'vc connection add show rtmps://live.example.com/app',
    },
    {
      does: 'Read the key from a file',
      command: 'vc connection add show rtmps://live.example.com/app --key-stdin < stream.key',
    },
  ],
  async run(context, { name, url }, { keyStdin }) {
    const prompt = await context.prompt();
    const key = keyStdin
      ? (await readAll(context)).trim()
      : prompt.isInteractive
        ? await prompt.secret('Stream key (empty if the URL contains it)')
        : '';
    const body = { name, url, ...(key === '' ? {} : { stream_key: key }) };
    const connection = await request(context, 'createConnection', { body });
    if (context.globals.json) await printJson(context, connection);
    else await done(context, `added connection ${connection.name}`);
  },
});
