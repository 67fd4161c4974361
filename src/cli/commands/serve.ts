import { UsageError } from '../errors/cli-error.js';
import { defineCommand } from '../framework/define.js';
import { planServe, serveOptions } from '../serve/options.js';

export const command = defineCommand({
  name: 'serve',
  summary: 'Run the service on this machine',
  details: [
    'The first start creates an API key and saves it in a profile, so that vc works on this machine',
    'right away. Ctrl-C stops the service; computers keep running, and the next start finds them.',
  ].join(' '),
  arguments: {},
  options: serveOptions,
  examples: [
    { does: 'Run in the foreground', command: 'vc serve' },
    { does: 'Run in the background', command: 'vc serve --detach' },
    {
      does: 'Allow access from other machines',
      command: 'vc serve --listen 0.0.0.0:4700 --expose --allow-host vc.example.com',
    },
    { does: 'Allow ten running computers per owner', command: 'vc serve --max-running 10' },
  ],
  async run(context, _, options) {
    if (context.globals.project !== undefined) {
      throw new UsageError(
        'vc serve takes no project: -p is --project here',
        'for a port: vc serve --listen 127.0.0.1:4700',
      );
    }
    const plan = planServe(options, context.env, context.cwd);
    if (options.detach) return (await import('../serve/detach.js')).serveDetached(context, plan);
    return (await import('../serve/foreground.js')).serveInForeground(context, plan);
  },
});
