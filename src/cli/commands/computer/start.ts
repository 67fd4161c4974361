import type { Answer } from '../../../contract/types/index.js';
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
import { untilReady, waitOptions, waitQuery } from '../../targets/wait-for-status.js';

export const command = defineCommand({
  name: 'start',
  summary: 'Start computers',
  details: 'With --all it starts the stopped computers that vc ls lists, after a confirmation.',
  arguments: { computers: computersOrAll('stopped') },
  options: {
    all: allOption('start the stopped computers'),
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
  async run(context, { computers: names }, { all, yes, ...waiting }) {
    checkNamesOrAll(names, all);
    const changing = {
      did: 'started',
      query: waitQuery(waiting),
      after: (computer: Answer<'startComputer'>) => untilReady(context, computer, waiting),
    };
    if (!all) {
      const doing = `Starting ${enumerate(names)}`;
      return change(context, 'startComputer', { names, doing, ...changing });
    }
    const stopped = await allComputers(context, ['stopped', 'error']);
    return changeAll(context, 'startComputer', stopped, {
      verb: 'Start',
      which: 'stopped computers',
      yes,
      doing: 'Starting all',
      ...changing,
    });
  },
});
