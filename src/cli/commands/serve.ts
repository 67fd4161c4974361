import { defineCommand } from '../define.js';
import { planServe, serveOptions } from '../serve/options.js';

export const command = defineCommand({
  name: 'serve',
  summary: 'Host computers: run the service on this machine',
  details: [
    'The first start makes an API key and writes it into a profile, so that vc works at once on this',
    'machine. Ctrl-C ends the service; the computers go on running and are found again.',
  ].join(' '),
  arguments: {},
  options: serveOptions,
  examples: [
    { does: 'Serve on this machine, in the foreground', command: 'vc serve' },
    { does: 'In the background', command: 'vc serve --detach' },
    {
      does: 'For other machines, by a name of this one',
      command: 'vc serve --listen 0.0.0.0:4700 --expose --allow-host vc.example.com',
    },
    { does: 'Let each owner run ten computers', command: 'vc serve --max-running 10' },
  ],
  async run(context, _, options) {
    const plan = planServe(options, context.env, context.cwd);
    if (options.detach) return (await import('../serve/detach.js')).serveDetached(context, plan);
    return (await import('../serve/foreground.js')).serveInForeground(context, plan);
  },
});
