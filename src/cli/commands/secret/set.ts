import { UsageError } from '../../errors/cli-error.js';
import { argument, defineCommand } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { readAll } from '../../input/script/stdin.js';
import { fields } from '../../output/fields.js';
import { done, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { currentProject } from '../../targets/projects.js';

export const command = defineCommand({
  name: 'set',
  summary: 'Set a secret of a project',
  details: [
    'Prompts for the value without echo, or reads it from stdin, without a newline at its end. It is',
    'not an argument, because other users could see it. The service stores it encrypted and never',
    'shows it again. In a text to type, {{secret:NAME}} stands for it where the request allows it.',
  ].join(' '),
  arguments: { name: argument('name', 'name of the secret', nonEmpty, { completes: 'secret' }) },
  options: {},
  fields: fields.secret,
  examples: [
    { does: 'Set a secret, with a prompt', command: 'vc secret set SHOP_PASSWORD -p demo' },
    { does: 'Read it from a file', command: 'vc secret set SHOP_PASSWORD < password.txt' },
  ],
  async run(context, { name }) {
    const prompt = await context.prompt();
    const value = prompt.isInteractive
      ? await prompt.secret(`Value of ${name}`)
      : (await readAll(context)).replace(/\r?\n$/, '');
    if (value === '') throw new UsageError('no value given', 'pass it on stdin: < value.txt');
    const params = { project: await currentProject(context), secret: name };
    const secret = await request(context, 'setSecret', { params, body: { value } });
    if (context.globals.json) await printJson(context, secret);
    else await done(context, `set secret ${secret.name} of project ${params.project}`);
  },
});
