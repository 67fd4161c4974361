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
  name: 'restart',
  summary: 'Restart computers',
  details: 'With --all it restarts the running computers that vc ls lists, after a confirmation.',
  arguments: { computers: computersOrAll('running') },
  options: { all: allOption('restart the running computers'), yes: yesOption, ...waitOptions },
  fields: fields.computer,
  examples: [
    { does: 'Restart a computer', command: 'vc restart demo/desktop' },
    { does: 'Restart several computers', command: 'vc restart -p demo desktop agent' },
  ],
  async run(context, { computers: names }, { all, yes, ...waiting }) {
    checkNamesOrAll(names, all);
    const changing = {
      did: 'restarted',
      query: waitQuery(waiting),
      after: (computer: Answer<'restartComputer'>) => untilReady(context, computer, waiting),
    };
    if (!all) {
      const doing = `Restarting ${enumerate(names)}`;
      return change(context, 'restartComputer', { names, doing, ...changing });
    }
    const running = await allComputers(context, ['running', 'starting']);
    return changeAll(context, 'restartComputer', running, {
      verb: 'Restart',
      which: 'running computers',
      yes,
      doing: 'Restarting all',
      ...changing,
    });
  },
});
