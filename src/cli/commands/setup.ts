import type { EngineDescriptor, SetupStep } from '../../engines/descriptor.js';
import { DEFAULT_IMAGES, imageNamed } from '../../images/default-images.js';
import { stateDirectory } from '../../profile/index.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { choice, defineCommand, flag } from '../framework/define.js';
import { write } from '../framework/io.js';
import { DEFAULT_ENGINE, ENGINE_CHOICES, engineChoice } from '../input/engine-choice.js';
import { done, note, print, printJson } from '../output/print.js';
import type { SetupPlan } from '../setup/plan.js';
import { commandLine, must, runAsRoot } from '../setup/steps.js';

const IMAGES = Object.keys(DEFAULT_IMAGES);

export const command = defineCommand({
  name: 'setup',
  summary: 'Install what this machine needs to host computers',
  details: [
    'Installs an engine and the tools that build an image, with apt on Debian and Ubuntu. Without',
    '--engine it takes the first engine that runs already or needs no daemon. It starts the daemon of',
    'the engine, lets the calling user use it, and keeps existing settings. It shows the commands and',
    'asks before it runs them as root, with sudo if needed. --remove undoes this: it removes images,',
    'firewall rules that nothing needs, settings and what users were given. Packages, imported disks,',
    'computers with their data and what they need stay. Stop the service first: vc service stop.',
  ].join(' '),
  arguments: {},
  options: {
    engine: choice('--engine <name>', 'engine to set up', ENGINE_CHOICES, {
      otherwise: DEFAULT_ENGINE,
    }),
    remove: flag(
      '--remove',
      'undo the set-up, of all engines unless --engine or VC_ENGINE names one',
    ),
    yes: flag('-y, --yes', 'do not ask for confirmation'),
    packagesOnly: flag('--packages-only', 'install packages and leave everything else'),
    image: choice('--image <name>', 'also build this image, while packages are installed', IMAGES),
    dryRun: flag('--dry-run', 'show what would be done, and do nothing'),
  },
  examples: [
    { does: 'See what would be done', command: 'vc setup --dry-run' },
    { does: 'Do it', command: 'vc setup' },
    { does: 'Also build the Linux desktop', command: 'vc setup --image linux' },
    { does: 'For containers, on a machine without Docker', command: 'vc setup --engine docker' },
    { does: 'See what would be removed', command: 'vc setup --remove --dry-run' },
    { does: 'For Podman, which needs root', command: 'sudo vc setup --engine podman' },
  ],
  async run(context, _, { engine: named, remove, yes, dryRun, packagesOnly, image }) {
    if (image !== undefined && (remove || packagesOnly || context.globals.json)) {
      throw new UsageError('--image cannot be used with --remove, --packages-only or --json');
    }
    if (remove) {
      if (packagesOnly) throw new UsageError('--remove keeps packages: leave out --packages-only');
      const { undo } = await import('../setup/undo.js');
      return undo(context, engineChoice(named, context.env), { yes, dryRun });
    }
    const { planSetup, isComplete, rootPrefix, hasApt } = await import('../setup/plan.js');
    const { chooseEngine } = await import('../setup/choose-engine.js');
    const wish = engineChoice(named, context.env);
    const engine = await chooseEngine(wish, context.env, context.interrupts.signal);
    if (context.globals.quiet && dryRun) await print(context, engine.name);
    const whole = await planSetup(engine, context.env);
    const plan = packagesOnly
      ? { ...whole, startsDaemon: false, configures: false, grant: [] }
      : whole;
    if (isComplete(plan)) {
      if (context.globals.json) await printPlan(context, plan);
      await done(context, `everything is installed for ${engine.title}`);
      return image === undefined || dryRun ? ExitCode.ok : build(context, engine, image);
    }
    const prefix = await rootPrefix(context.env);
    const root = prefix ?? ['sudo'];
    if (context.globals.json) await printPlan(context, plan);
    else if (!context.globals.quiet) await describe(context, plan, root, image);
    if (dryRun) return ExitCode.ok;
    if (plan.packages.length > 0 && !(await hasApt(context.env))) {
      const names = plan.packages.map(({ name }) => name).join(', ');
      throw new CliError('there is no apt-get here: vc setup supports Debian and Ubuntu only', {
        remedy: `install the equivalents of these Debian packages: ${names}`,
      });
    }
    if (prefix === undefined) {
      throw new CliError('this needs root, and there is no sudo', {
        remedy: 'run it as root: vc setup, or the commands above',
      });
    }
    await agree(context, yes);
    await install(context, plan.installFirst, prefix);
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, context.interrupts.signal]);
    // Other users may need a further step of the set-up before they can build an image.
    const isEarly = image !== undefined && prefix.length === 0;
    const files = isEarly ? prepareImage(context, engine, image, signal) : Promise.resolve();
    // Reported when it is awaited.
    files.catch(() => undefined);
    try {
      await install(context, plan.install, prefix);
      if (plan.packages.length > 0) await done(context, 'the packages are installed');
      if (packagesOnly) return ExitCode.ok;
      const isUsable = await enable(context, engine, prefix);
      if (image === undefined || !isUsable) {
        await note(context, `next: vc image build ${image ?? 'linux'} --engine ${engine.name}`);
        return ExitCode.ok;
      }
      await files;
      return await build(context, engine, image);
    } finally {
      stop.abort();
      await files.catch(() => undefined);
    }
  },
});

/** `commands` and `packages` are empty when there is nothing to do. */
function printPlan(context: Context, plan: SetupPlan): Promise<void> {
  const { engine, packages, installFirst, install, grant, startsDaemon } = plan;
  return printJson(context, {
    engine: engine.name,
    packages: packages.map(({ name }) => name),
    starts_daemon: startsDaemon,
    commands: [...installFirst, ...install, ...grant].map(({ argv }) => argv),
  });
}

async function describe(
  context: Context,
  plan: SetupPlan,
  root: readonly string[],
  image: string | undefined,
): Promise<void> {
  const { stderr } = context.io;
  const { daemon } = await plan.engine.setup();
  const starters = plan.startsDaemon && daemon ? await daemon.starters() : [];
  if (plan.packages.length > 0) {
    await write(stderr, `To be installed with apt, for ${plan.engine.title}:\n`);
    for (const { name, purpose } of plan.packages) {
      await write(stderr, `  ${name.padEnd(17)}${purpose}\n`);
    }
  }
  await write(stderr, 'To be run:\n');
  for (const step of [
    ...plan.installFirst,
    ...plan.install,
    ...starters.slice(0, 1),
    ...plan.grant,
  ]) {
    await write(stderr, `  ${commandLine([...root, ...step.argv])}\n`);
  }
  if (plan.configures) {
    await write(stderr, `  (then ${plan.engine.title} is prepared for vc, as this user)\n`);
  }
  if (image !== undefined) await write(stderr, `To be built: the image ${image}\n`);
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
  steps: readonly SetupStep[],
  prefix: readonly string[],
): Promise<void> {
  for (const step of steps) await must(step, (each) => runAsRoot(context, each, prefix));
}

/** Builds the part of an image that needs no engine, if there is one. */
async function prepareImage(
  context: Context,
  { images }: EngineDescriptor,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  if (images.prepare === undefined) return;
  await note(context, `Building the files of the image ${name} meanwhile…`);
  const onProgress = (line: string) => void note(context, `  ${line}`);
  await images.prepare({ name: imageNamed(name), signal, onProgress });
}

async function build(context: Context, engine: EngineDescriptor, name: string): Promise<number> {
  const { buildLocalImage } = await import('../images/build.js');
  const request = { name, engine: engine.name, method: undefined, ifMissing: true };
  return buildLocalImage(context, request);
}

/** Starts the engine's daemon and lets the user use it. False if the user has to log in again first. */
async function enable(
  context: Context,
  engine: EngineDescriptor,
  prefix: readonly string[],
): Promise<boolean> {
  const { planSetup } = await import('../setup/plan.js');
  const { startDaemon } = await import('../setup/start-daemon.js');
  const { grantOf, readGrants, writeGrants } = await import('../setup/record.js');
  const { signal } = context.interrupts;
  const run = (step: SetupStep) => runAsRoot(context, step, prefix);
  // Planned again: installing a package may have started the daemon.
  const { startsDaemon, grant, user } = await planSetup(engine, context.env);
  const { daemon } = await engine.setup();
  if (startsDaemon && daemon) {
    await startDaemon(daemon, engine.title, { run, env: context.env, signal });
  }
  const directory = stateDirectory(context.env);
  for (const step of grant) {
    await must(step, run);
    const made = grantOf(step, engine.name, user);
    if (made !== undefined) await writeGrants(directory, [...(await readGrants(directory)), made]);
  }
  const { configuration } = await engine.setup();
  const onProgress = (line: string) => void note(context, `${line}…`);
  await configuration?.run(directory, context.env, { signal, onProgress });
  await done(context, 'this machine can host computers');
  const groups = grant.flatMap(({ group }) => (group === undefined ? [] : [group]));
  for (const group of groups) {
    await note(context, `log in again (or run: newgrp ${group}), so that ${user} may use it`);
  }
  return groups.length === 0;
}
