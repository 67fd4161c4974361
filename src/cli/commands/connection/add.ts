import { argument, defineCommand, flag } from '../../define.js';
import { fields } from '../../fields.js';
import { readAll } from '../../input.js';
import { done, printJson } from '../../output.js';
import { nonEmpty } from '../../parse.js';

export const command = defineCommand({
  name: 'add',
  aliases: ['create'],
  summary: 'Keep an RTMP target under a name',
  details: [
    'On a terminal the stream key is asked for without echo; it is never an argument, which every',
    'user of the machine could see. The service keeps it encrypted and never shows it again. Where',
    'the URL holds the key already, leave it empty.',
  ].join(' '),
  arguments: {
    name: argument('name', 'name of the connection', nonEmpty),
    url: argument('url', 'rtmp or rtmps URL, without the stream key', nonEmpty),
  },
  options: { keyStdin: flag('--key-stdin', 'read the stream key from stdin') },
  fields: fields.connection,
  examples: [
    {
      does: 'Keep a target; asks for its key',
      command: 'vc connection add show rtmps://live.example.com/app',
    },
    {
      does: 'The key from a file',
      command: 'vc connection add show rtmps://live.example.com/app --key-stdin < stream.key',
    },
  ],
  async run(context, { name, url }, { keyStdin }) {
    const prompt = await context.prompt();
    const key = keyStdin
      ? (await readAll(context)).trim()
      : prompt.isInteractive
        ? await prompt.secret('Stream key (empty if the URL holds it)')
        : '';
    const body = { name, url, ...(key === '' ? {} : { stream_key: key }) };
    const client = await context.client();
    const { signal } = context.interrupts;
    const connection = await client.request('createConnection', { body, signal });
    if (context.globals.json) await printJson(context, connection);
    else await done(context, `added connection ${connection.name}`);
    return undefined;
  },
});
