import { userInfo } from 'node:os';
import { stateDirectory } from '../../profile/index.js';
import { ExitCode } from '../errors/exit-codes.js';
import { defineCommand } from '../framework/define.js';
import { note, printJson } from '../output/print.js';
import { during } from '../output/progress.js';

export const command = defineCommand({
  name: 'doctor',
  summary: 'Check what vc needs and show how to fix problems',
  details: 'Exits with 0 if vc can be used, else with 1. It changes nothing.',
  arguments: {},
  options: {},
  examples: [
    { does: 'Check everything', command: 'vc doctor' },
    { does: 'The same, for a program', command: 'vc doctor --json' },
  ],
  async run(context) {
    const { diagnose, isUsable } = await import('../doctor/check.js');
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
      const { printDiagnoses } = await import('../doctor/print-diagnoses.js');
      await printDiagnoses(context, diagnoses);
      await note(
        context,
        usable ? 'vc can be used' : 'vc cannot be used yet; fix the problems from the top',
      );
    }
    return usable ? ExitCode.ok : ExitCode.failure;
  },
});
