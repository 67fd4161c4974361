import { userInfo } from 'node:os';
import { engines } from '../../engines/index.js';
import { printable } from '../../lib/text/printable.js';
import { stateDirectory } from '../../profile/index.js';
import type { Diagnosis } from '../doctor/check.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { defineCommand } from '../framework/define.js';
import { write } from '../framework/io.js';
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
    const { baseUrl, apiKey, listenerUid } = await context.settings();
    const { username, uid } = userInfo();
    const work = diagnose(await allChecks(), {
      env: context.env,
      baseUrl: baseUrl.value,
      apiKey: apiKey?.value,
      listenerUid: listenerUid?.value,
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
      await printDiagnoses(context, diagnoses);
      await note(
        context,
        usable ? 'vc can be used' : 'vc cannot be used yet; fix the problems from the top',
      );
    }
    return usable ? ExitCode.ok : ExitCode.failure;
  },
});

function heading(section: string): string {
  const engine = engines.find(({ name }) => name === section);
  return engine === undefined ? section : `${engine.title} (computers in ${engine.runsIn})`;
}

async function printDiagnoses(context: Context, diagnoses: readonly Diagnosis[]): Promise<void> {
  const chalk = await context.style('stdout');
  const width = Math.max(...diagnoses.map(({ title }) => title.length)) + 2;
  let current = 'vc';
  for (const { title, section, needed, finding } of diagnoses) {
    if (section !== current) await write(context.io.stdout, `\n${chalk.bold(heading(section))}\n`);
    current = section;
    const color = {
      ok: chalk.green,
      stale: chalk.yellow,
      missing: needed ? chalk.red : chalk.yellow,
      skipped: chalk.dim,
    };
    const word = finding.status === 'missing' && !needed ? 'absent' : finding.status;
    const head = `${title.padEnd(width)}${color[finding.status](word.padEnd(9))}`;
    await write(context.io.stdout, `${head}${printable(finding.detail)}\n`);
    if ('remedy' in finding && finding.remedy !== undefined) {
      const indent = ' '.repeat(width + 9);
      await write(context.io.stdout, `${indent}fix it: ${chalk.bold(printable(finding.remedy))}\n`);
    }
  }
}
