import { argument, defineCommand, flag, value } from '../../framework/define.js';
import { lifeTime } from '../../input/duration.js';
import { number } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { note, print, printJson } from '../../output/print.js';
import { inCommands } from '../../targets/computer-address.js';
import { computerArgument, onComputer } from '../../targets/computers.js';

const parsePort = number({ min: 1, max: 65_535, unit: 'a TCP port' });

export const command = defineCommand({
  name: 'create',
  aliases: ['publish'],
  summary: 'Publish a port of a computer, for HTTP and WebSockets',
  details: [
    'Prints a link that opens the web server on that port in a browser. It works on the host of the',
    'service only, unless that was started with --preview-domain. It has a ticket: everyone with the',
    'link can open it, until the publication ends. It is shown only once. It ends with the computer,',
    'with the API key that created it, at --expires, and with vc unpublish. For other protocols, and',
    'for yourself alone: vc forward.',
  ].join(' '),
  arguments: {
    computer: computerArgument,
    port: argument('port', 'port on the loopback interface of the computer', parsePort),
  },
  options: {
    public: flag('--public', 'needs no ticket: open to everyone who has the address'),
    expires: value('--expires <duration>', 'end it after this time, or never', lifeTime, {
      otherwise: 'never',
    }),
  },
  fields: fields.createdPublication,
  examples: [
    { does: 'Publish a web server of the computer', command: 'vc publish demo/desktop 8000' },
    { does: 'For an hour', command: 'vc publish demo/desktop 8000 --expires 1h' },
  ],
  async run(context, { computer, port }, { public: isPublic, expires }) {
    const body = { port, public: isPublic, expires_in: expires ?? undefined };
    const created = await onComputer(context, 'createPublication', computer, body);
    if (context.globals.json) return void (await printJson(context, created));
    await print(context, created.link);
    if (context.globals.quiet) return;
    if (new URL(created.url).hostname.endsWith('.localhost')) {
      await note(context, "only for the service's host; for others: vc serve --preview-domain");
    }
    await note(context, `to end it: vc unpublish ${inCommands(context, computer)} ${port}`);
  },
});
