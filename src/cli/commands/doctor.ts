import { userInfo } from 'node:os';
import { stateDirectory } from '../../profile/index.js';
import type { Context } from '../context.js';
import { defineCommand } from '../define.js';
import type { Diagnosis, Section } from '../doctor/check.js';
import { ExitCode } from '../exit-codes.js';
import { write } from '../io.js';
import { note, printJson } from '../output.js';
import { during } from '../progress.js';
import { printable } from '../style.js';

export const command = defineCommand({
  name: 'doctor',
  summary: 'Say what is there, what is missing, and what mends it',
  details: 'Ends with 0 when vc can be used, with 1 otherwise. It changes nothing.',
  arguments: {},
  options: {},
  examples: [
    { does: 'Look at everything', command: 'vc doctor' },
    { does: 'The same, for a program', command: 'vc doctor --json' },
  ],
  async run(context) {
    const { diagnose, isUsable } = await import('../doctor/check.js');
    const { checks } = await import('../doctor/checks.js');
    const { baseUrl, apiKey } = await context.settings();
    const { username, uid } = userInfo();
    const work = diagnose(checks, {
      env: context.env,
      baseUrl: baseUrl.value,
      apiKey: apiKey?.value,
      stateDirectory: stateDirectory(context.env),
      user: { name: username, isRoot: uid === 0 },
      signal: context.interrupts.signal,
    });
    const diagnoses = await during(context.progress('Looking'), work);
    const usable = isUsable(diagnoses);
    if (context.globals.json) {
      const rows = diagnoses.map(({ finding, ...rest }) => ({ ...rest, ...finding }));
      await printJson(context, { usable, checks: rows });
    } else {
      await printDiagnoses(context, diagnoses);
      await note(context, usable ? 'vc can be used' : 'vc cannot be used yet; mend from the top');
    }
    return usable ? ExitCode.ok : ExitCode.failure;
  },
});

/** What follows a heading is about one engine; either of them is enough. */
const headings: Readonly<Record<Section, string>> = {
  vc: 'vc',
  docker: 'Docker (computers in containers)',
  qemu: 'QEMU (computers in virtual machines)',
};

async function printDiagnoses(context: Context, diagnoses: readonly Diagnosis[]): Promise<void> {
  const chalk = await context.style('stdout');
  const width = Math.max(...diagnoses.map(({ title }) => title.length)) + 2;
  let current: string = 'vc';
  for (const { title, section, needed, finding } of diagnoses) {
    if (section !== current) await write(context.io.stdout, `\n${chalk.bold(headings[section])}\n`);
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
    if ('remedy' in finding) {
      const indent = ' '.repeat(width + 9);
      await write(
        context.io.stdout,
        `${indent}mend it: ${chalk.bold(printable(finding.remedy))}\n`,
      );
    }
  }
}
