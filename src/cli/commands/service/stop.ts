import { defineCommand, flag } from '../../framework/define.js';
import { done, note, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { stopService, timeoutOption } from '../../service/stop.js';
import { findService, stateOption } from '../../service/target.js';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop the service of this machine',
  details: [
    'Ends the service, in the background or in the foreground, and waits until it has ended. Computers',
    'keep running, and the next service finds them. Does nothing if the service does not run.',
  ].join(' '),
  arguments: {},
  options: {
    timeout: timeoutOption,
    force: flag('--force', 'kill it, for example if it does not answer'),
    state: stateOption,
  },
  examples: [
    { does: 'Stop the service', command: 'vc service stop' },
    { does: 'Kill one that does not end', command: 'vc service stop --force' },
  ],
  async run(context, _, { timeout, force, state }) {
    const target = await findService(context, state);
    const stopping = stopService(context, target, force ? 'kill' : 'graceful', timeout);
    const pid = await during(context.progress('Stopping the service'), stopping);
    if (context.globals.json) await printJson(context, { success: true, pid: pid ?? null });
    else if (pid === undefined) await note(context, 'the service does not run');
    else await done(context, `stopped the service, process ${pid}; computers keep running`);
  },
});
