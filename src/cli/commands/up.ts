import { ExitCode } from '../errors/exit-codes.js';
import { fileOption } from '../fleet-file/options.js';
import { defineCommand, enumerate, flag } from '../framework/define.js';
import { confirmRemoval } from '../input/confirm-removal.js';
import { done, note, printJson } from '../output/print.js';
import { forEach } from '../targets/for-each.js';
import { pendingNote } from '../targets/pending.js';

export const command = defineCommand({
  name: 'up',
  summary: 'Create and update the computers of a file',
  details: [
    'Creates the project, volumes, images and computers of the file, starts those that are stopped, and updates',
    'labels, variables and other settings. What cannot be updated, such as the image, is left as it is',
    'without --recreate, and a computer that is no longer in the file without --remove-orphans. A second run changes nothing. The exit code is 3 if --recreate is needed.',
    'The shortest file is {name: fleet, computers: {desk: {}}}, whose name is that of the project;',
    '--schema has all that it can have.',
  ].join(' '),
  arguments: {},
  options: {
    file: fileOption,
    recreate: flag('--recreate', 'replace computers that cannot be updated, with their disks'),
    removeOrphans: flag('--remove-orphans', 'remove computers that the file no longer has'),
    yes: flag('-y, --yes', 'do not ask for confirmation'),
    schema: flag('--schema', 'print the JSON schema of the file, for editors'),
  },
  examples: [
    { does: 'Create the computers of computers.yaml', command: 'vc up' },
    { does: 'Use another file', command: 'vc up -f qa.yaml' },
    { does: 'Also replace computers that cannot be updated', command: 'vc up --recreate --yes' },
    { does: 'Save the schema for an editor', command: 'vc up --schema > computers.schema.json' },
  ],
  async run(context, _, { file, recreate, removeOrphans, yes, schema }) {
    if (schema) {
      const { fleetSchema } = await import('../fleet-file/schema.js');
      return printJson(context, fleetSchema());
    }
    // Loaded only here, because the schemas take time to load.
    const [
      { loadFleet, planFleet },
      { inShort },
      { buildImages, checkSteps, createProject, removeIfEmpty, StepRunner },
      { createVolume },
      texts,
    ] = await Promise.all([
      import('../fleet-file/load.js'),
      import('../fleet-file/plan.js'),
      import('../fleet-file/apply.js'),
      import('../fleet-file/volumes.js'),
      import('../fleet-file/describe.js'),
    ]);
    const fleet = await loadFleet(context, file);
    const { project, shown } = fleet;
    const { steps, existing, volumes } = await planFleet(context, fleet);
    const allowed = steps.flatMap((step) => {
      if (step.action === 'remove') return removeOrphans ? [step] : [];
      return step.action !== 'recreate' || recreate ? [step] : (step.instead ?? []);
    });
    await checkSteps(context, fleet, { steps: allowed, exists: existing !== undefined });
    const lost = allowed.filter(({ action }) => action === 'recreate' || action === 'remove');
    if (lost.length > 0) {
      const names = enumerate(
        lost.map(({ name }) => `${project}/${name}`),
        'and',
      );
      const question = `Permanently remove ${names} and all data on the disk, to match ${shown}?`;
      await confirmRemoval(await context.prompt(), { question, yes });
    }
    for (const volume of volumes) {
      await createVolume(context, volume);
      await done(context, `created volume ${volume.name}`);
    }
    await buildImages(fleet, allowed);
    const isNew = existing === undefined && (await createProject(context, project));
    context.whenInterrupted('the service may still be working on it; to continue: vc up');
    const runner = new StepRunner(context, allowed, { name: project, isNew });
    const byName = new Map(steps.map((step) => [step.name, step]));
    const pending = new Map<string, string>();
    const code = await forEach(context, {
      names: [...byName.keys()],
      asList: true,
      doing: `Applying ${shown} to ${project}`,
      work: async (name) => {
        const step = byName.get(name);
        if (step === undefined) throw new TypeError(`there is no step ${name}`);
        const computer = await runner.run(name);
        const later = computer && pendingNote(computer);
        if (later !== undefined) pending.set(name, later);
        return { ...inShort(step), done: allowed.includes(step) };
      },
      did: (name, answer) => texts.did({ name, ...answer }, project),
      show: async (name, answer) => {
        const step = { ...byName.get(name), name, ...answer };
        const { instead } = answer;
        if (answer.done) await done(context, texts.did(step, project));
        else if (instead && instead.action !== 'none') {
          await done(context, texts.did({ name, ...instead }, project));
        }
        const later = pending.get(name);
        if (later !== undefined) await note(context, later);
        if (!answer.done) await note(context, texts.kept(step, project, shown));
      },
    });
    // Without a computer there would be nothing that says who made the project.
    if (code !== ExitCode.ok && isNew) await removeIfEmpty(context, project);
    if (code !== ExitCode.ok) return code;
    if (volumes.length === 0 && steps.every(({ action }) => action === 'none')) {
      await note(context, `nothing to change: project ${project} matches ${shown}`);
    }
    const isLeft = steps.some((step) => step.action === 'recreate' && !allowed.includes(step));
    return isLeft ? ExitCode.differs : ExitCode.ok;
  },
});
