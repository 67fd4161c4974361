import { defineCommand, enumerate } from '../../framework/define.js';
import { labelSelector } from '../../input/labels.js';
import { fields } from '../../output/fields.js';
import { change } from '../../targets/computers.js';
import {
  allComputers,
  allOption,
  changeAll,
  computersOrAll,
  isSelection,
  yesOption,
} from '../../targets/lookup/all-computers.js';

export const command = defineCommand({
  name: 'stop',
  summary: 'Stop computers and keep their disks',
  details: [
    'With --all it stops the running computers that vc ls lists, with --label those that have the label,',
    'after a confirmation.',
  ].join(' '),
  arguments: { computers: computersOrAll('running') },
  options: { all: allOption('stop the running computers'), label: labelSelector, yes: yesOption },
  fields: fields.computer,
  examples: [
    { does: 'Stop a computer', command: 'vc stop demo/desktop' },
    { does: 'Stop all that run, without a confirmation', command: 'vc stop --all --yes' },
    { does: 'Stop several computers', command: 'vc stop -p demo desktop agent' },
  ],
  async run(context, { computers: names }, { all, label, yes }) {
    const isSelected = isSelection(names, { all, label });
    const changing = { doing: `Stopping ${enumerate(names)}`, did: 'stopped' };
    if (!isSelected)
      return change(context, 'stopComputer', { names, leadsTo: 'stopped', ...changing });
    const running = await allComputers(context, ['running', 'starting'], label);
    return changeAll(context, 'stopComputer', running, {
      verb: 'Stop',
      which: 'running computers',
      yes,
      label,
      doing: 'Stopping all',
      did: 'stopped',
    });
  },
});
