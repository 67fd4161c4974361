import type { Context } from '../context.js';
import { choice, defineCommand, flag } from '../define.js';
import { ENGINE_CHOICES, type EngineName, engineChoice } from '../engine-choice.js';
import { CliError, UsageError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import { write } from '../io.js';
import { done, note, print, printJson } from '../output.js';
import type { SetupPlan, Step } from '../setup/plan.js';

export const command = defineCommand({
  name: 'setup',
  summary: 'Install what this machine needs to host computers',
  details: [
    'On Debian and Ubuntu, with apt: an engine and the tools that build an image. Where a Docker Engine',
    'runs that is Docker, elsewhere QEMU, which needs no daemon. With --engine docker it installs and',
    'starts Docker. It lets the calling user use the engine, says what it is going to do and asks;',
    'changes nothing that is there. The steps run as root, through sudo where need be.',
  ].join(' '),
  arguments: {},
  options: {
    engine: choice('--engine <name>', 'engine to set up', ENGINE_CHOICES, {
      otherwise: 'VC_ENGINE or auto',
    }),
    yes: flag('-y, --yes', 'do not ask'),
    packagesOnly: flag('--packages-only', 'install packages and leave everything else'),
    dryRun: flag('--dry-run', 'say what would be done, and do nothing'),
  },
  examples: [
    { does: 'See what would be done', command: 'vc setup --dry-run' },
    { does: 'Do it', command: 'vc setup' },
    { does: 'For containers, on a machine without Docker', command: 'vc setup --engine docker' },
  ],
  async run(context, _, { engine: named, yes, dryRun, packagesOnly }) {
    const { planSetup, isComplete, rootPrefix, hasApt } = await import('../setup/plan.js');
    const { chooseEngine } = await import('../setup/choose-engine.js');
    const wish = engineChoice(named, context.env);
    const engine = await chooseEngine(wish, context.env, context.interrupts.signal);
    if (context.globals.quiet && dryRun) await print(context, engine);
    const whole = await planSetup(engine, context.env);
    const plan = packagesOnly ? { ...whole, startsDocker: false, grant: [] } : whole;
    if (isComplete(plan)) {
      if (context.globals.json) await printPlan(context, plan);
      await done(context, `everything is there for ${engineTitles[engine]}`);
      return ExitCode.ok;
    }
    const prefix = await rootPrefix(context.env);
    const root = prefix ?? ['sudo'];
    if (context.globals.json) await printPlan(context, plan);
    else if (!context.globals.quiet) await describe(context, plan, root);
    if (dryRun) return ExitCode.ok;
    if (plan.install.length > 0 && !(await hasApt(context.env))) {
      const names = plan.packages.map(({ name }) => name).join(', ');
      throw new CliError('there is no apt-get here: vc setup knows Debian and Ubuntu only', {
        hint: `install what these Debian packages hold: ${names}`,
      });
    }
    if (prefix === undefined) {
      throw new CliError('this needs root, and there is no sudo', {
        hint: 'run it as root: vc setup, or the commands above',
      });
    }
    await agree(context, yes);
    await install(context, plan, prefix);
    if (!packagesOnly) await bringUp(context, engine, prefix);
    return ExitCode.ok;
  },
});

const engineTitles: Readonly<Record<EngineName, string>> = { docker: 'Docker', qemu: 'QEMU' };

/** What there is to do, for a program: nothing when both lists are empty. */
function printPlan(context: Context, plan: SetupPlan): Promise<void> {
  const { engine, packages, install, grant, startsDocker } = plan;
  return printJson(context, {
    ...{ engine, packages: packages.map(({ name }) => name), starts_docker: startsDocker },
    commands: [...install, ...grant].map(({ argv }) => argv),
  });
}

async function describe(context: Context, plan: SetupPlan, root: readonly string[]): Promise<void> {
  const { dockerStarters } = await import('../setup/start-docker.js');
  const { stderr } = context.io;
  const starters = plan.startsDocker ? await dockerStarters() : [];
  if (plan.packages.length > 0) {
    await write(stderr, `To be installed with apt, for ${engineTitles[plan.engine]}:\n`);
    for (const { name, purpose } of plan.packages) {
      await write(stderr, `  ${name.padEnd(17)}${purpose}\n`);
    }
  }
  await write(stderr, 'To be run:\n');
  for (const step of [...plan.install, ...starters.slice(0, 1), ...plan.grant]) {
    await write(stderr, `  ${commandLine([...root, ...step.argv])}\n`);
  }
}

/** On a terminal the user is asked; without one, having called the command is the answer. */
async function agree(context: Context, yes: boolean): Promise<void> {
  const prompt = await context.prompt();
  if (yes || !prompt.isInteractive) return;
  if (await prompt.confirm('Do it?')) return;
  throw new CliError('nothing was changed', { code: 'declined' });
}

async function install(
  context: Context,
  plan: SetupPlan,
  prefix: readonly string[],
): Promise<void> {
  for (const step of plan.install) await must(step, (each) => runAsRoot(context, each, prefix));
  if (plan.install.length > 0) await done(context, 'the packages are installed');
}

/** Starts Docker where it is the engine, and lets the user use what was installed. */
async function bringUp(
  context: Context,
  engine: EngineName,
  prefix: readonly string[],
): Promise<void> {
  const { planSetup } = await import('../setup/plan.js');
  const { startDocker } = await import('../setup/start-docker.js');
  const { signal } = context.interrupts;
  const run = (step: Step) => runAsRoot(context, step, prefix);
  // Looked at again: a package's installation may have started Docker.
  const { startsDocker, grant, user } = await planSetup(engine, context.env);
  if (startsDocker) await startDocker(run, context.env, signal);
  for (const step of grant) await must(step, run);
  await done(context, 'this machine can host computers');
  for (const group of ['docker', 'kvm']) {
    if (!grant.some(({ argv }) => argv.includes(group))) continue;
    await note(context, `log in again (or run: newgrp ${group}), so that ${user} may use it`);
  }
  await note(context, `next: vc image build linux --engine ${engine}`);
}

async function must(step: Step, run: (step: Step) => Promise<boolean>): Promise<void> {
  if (await run(step)) return;
  throw new CliError(`this failed: ${commandLine(step.argv)}`, {
    hint: 'its output above says why; mend that and run vc setup again',
  });
}

/** Runs a step with its output on our stderr: stdout is for data. */
async function runAsRoot(
  context: Context,
  { title, argv }: Step,
  prefix: readonly string[],
): Promise<boolean> {
  const { execa } = await import('execa');
  await note(context, `${title}…`);
  const [file = '', ...args] = [...prefix, ...argv];
  if (file === '') throw new UsageError('nothing to run');
  const result = await execa(file, args, {
    stdin: 'inherit',
    stdout: 2,
    stderr: 2,
    reject: false,
    cancelSignal: context.interrupts.signal,
  });
  return result.exitCode === 0;
}

/** For reading, and for a shell: words with blanks are quoted. */
function commandLine(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
