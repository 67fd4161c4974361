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
  name: 'restart',
  summary: 'Restart computers',
  details: [
    'With --all it restarts the running computers that vc ls lists, with --label those that have the label,',
    'after a confirmation.',
  ].join(' '),
  arguments: { computers: computersOrAll('running') },
  options: {
    all: allOption('restart the running computers'),
    label: labelSelector,
    yes: yesOption,
    ...waitOptions,
  },
  fields: fields.computer,
  examples: [
    { does: 'Restart a computer', command: 'vc restart demo/desktop' },
    { does: 'Restart several computers', command: 'vc restart -p demo desktop agent' },
  ],
  async run(context, { computers: names }, { all, label, yes, ...waiting }) {
    const isSelected = isSelection(names, { all, label });
    const changing = {
      did: 'restarted',
      query: waitQuery(waiting),
      after: (computer: Answer<'restartComputer'>) => untilReady(context, computer, waiting),
    };
    if (!isSelected) {
      const doing = `Restarting ${enumerate(names)}`;
      return change(context, 'restartComputer', { names, doing, ...changing });
    }
    const running = await allComputers(context, ['running', 'starting'], label);
    return changeAll(context, 'restartComputer', running, {
      verb: 'Restart',
      which: 'running computers',
      yes,
      label,
      doing: 'Restarting all',
      ...changing,
    });
  },
});
