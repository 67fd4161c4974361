import { userInfo } from 'node:os';
import { stateDirectory } from '../../profile/index.js';
import { ExitCode } from '../errors/exit-codes.js';
import { defineCommand, flag } from '../framework/define.js';
import { printJson } from '../output/print.js';
import { during } from '../output/progress.js';

export const command = defineCommand({
  name: 'doctor',
  summary: 'Check what vc needs and show how to fix problems',
  details:
    'Exits with 0 if vc can be used, else with 1. It changes nothing. Shows what is missing or stale, but of engines that are not set up only with -v.',
  arguments: {},
  options: { verbose: flag('-v, --verbose', 'show every check') },
  examples: [
    { does: 'Check everything, and show the problems', command: 'vc doctor' },
    { does: 'Show every check', command: 'vc doctor -v' },
    { does: 'The same, for a program', command: 'vc doctor --json' },
  ],
  async run(context, _, { verbose }) {
    const { diagnose, isUsable, problemsOf, unusableEngines } = await import('../doctor/check.js');
    const { allChecks } = await import('../doctor/checks.js');
    const settings = await context.settings();
    const { baseUrl, apiKey, socketPath } = settings;
    const { username, uid } = userInfo();
    const work = diagnose(await allChecks(), {
      env: context.env,
      baseUrl: baseUrl.value,
      apiKey: apiKey?.value,
      socketPath,
      // Checks that need a file that cannot be read report it.
      get ca() {
        return settings.ca;
      },
      stateDirectory: stateDirectory(context.env),
      user: { name: username, isRoot: uid === 0 },
      signal: context.interrupts.signal,
    });
    const diagnoses = await during(context.progress('Checking'), work);
    const usable = isUsable(diagnoses);
    if (context.globals.json) {
      const rows = diagnoses.map(({ finding, ...rest }) => ({ ...rest, ...finding }));
      await printJson(context, { usable, checks: rows });
    } else {
      const { printDiagnoses, printSummary } = await import('../doctor/print-diagnoses.js');
      const shown = verbose ? diagnoses : problemsOf(diagnoses);
      const unusable = unusableEngines(diagnoses);
      const toDo = usable ? '' : '; fix the problems from the top';
      await printSummary(context, `vc ${usable ? 'can be used' : 'cannot be used yet'}${toDo}`);
      if (shown.length > 0) await printDiagnoses(context, shown);
      if (!verbose) {
        const others = unusable.length > 0 ? `not set up: ${unusable.join(', ')}; ` : '';
        await printSummary(context, `${others}all ${diagnoses.length} checks: vc doctor -v`);
      }
    }
    return usable ? ExitCode.ok : ExitCode.failure;
  },
});
