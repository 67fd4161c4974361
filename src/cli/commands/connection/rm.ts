import { defineCommand, enumerate, many } from '../../define.js';
import { forEach } from '../../each.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Forget RTMP targets and their stream keys',
  details: 'A stream that goes there now goes on.',
  arguments: { names: many('name', 'names of connections', { completes: 'connection' }) },
  options: {},
  examples: [{ does: 'Forget a target', command: 'vc connection rm show' }],
  async run(context, { names }) {
    const client = await context.client();
    const { signal } = context.interrupts;
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (name) => client.request('deleteConnection', { params: { name }, signal }),
      did: (name) => `removed connection ${name}`,
    });
  },
});
