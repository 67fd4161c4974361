import type { Answer } from '../../../contract/types/index.js';
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
import { untilReady, waitOptions, waitQuery } from '../../targets/wait-for-status.js';

export const command = defineCommand({
  name: 'start',
  summary: 'Start computers',
  details: [
    'With --all it starts the stopped computers that vc ls lists, with --label those that have the label,',
    'after a confirmation.',
  ].join(' '),
  arguments: { computers: computersOrAll('stopped') },
  options: {
    all: allOption('start the stopped computers'),
    label: labelSelector,
    yes: yesOption,
    ...waitOptions,
  },
  fields: fields.computer,
  examples: [
    {
      does: 'Start a computer and wait until it is ready',
      command: 'vc start demo/desktop',
    },
    { does: 'Start several computers', command: 'vc start -p demo desktop agent' },
  ],
  async run(context, { computers: names }, { all, label, yes, ...waiting }) {
    const isSelected = isSelection(names, { all, label });
    const changing = {
      did: 'started',
      query: waitQuery(waiting),
      after: (computer: Answer<'startComputer'>) => untilReady(context, computer, waiting),
    };
    if (!isSelected) {
      const doing = `Starting ${enumerate(names)}`;
      return change(context, 'startComputer', { names, doing, leadsTo: 'running', ...changing });
    }
    const stopped = await allComputers(context, ['stopped', 'error'], label);
    return changeAll(context, 'startComputer', stopped, {
      verb: 'Start',
      which: 'stopped computers',
      yes,
      label,
      doing: 'Starting all',
      ...changing,
    });
  },
});
