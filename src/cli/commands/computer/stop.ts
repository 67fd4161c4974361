import { defineCommand, enumerate } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { change } from '../../targets/computers.js';
import {
  allComputers,
  allOption,
  changeAll,
  checkNamesOrAll,
  computersOrAll,
  yesOption,
} from '../../targets/lookup/all-computers.js';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop computers and keep their disks',
  details: 'With --all it stops the running computers that vc ls lists, after a confirmation.',
  arguments: { computers: computersOrAll('running') },
  options: { all: allOption('stop the running computers'), yes: yesOption },
  fields: fields.computer,
  examples: [
    { does: 'Stop a computer', command: 'vc stop demo/desktop' },
    { does: 'Stop all that run, without a confirmation', command: 'vc stop --all --yes' },
    { does: 'Stop several computers', command: 'vc stop -p demo desktop agent' },
  ],
  async run(context, { computers: names }, { all, yes }) {
    checkNamesOrAll(names, all);
    const changing = { doing: `Stopping ${enumerate(names)}`, did: 'stopped' };
    if (!all) return change(context, 'stopComputer', { names, ...changing });
    const running = await allComputers(context, ['running', 'starting']);
    return changeAll(context, 'stopComputer', running, {
      verb: 'Stop',
      which: 'running computers',
      yes,
      doing: 'Stopping all',
      did: 'stopped',
    });
  },
});
