import { defineCommand, dryRun, enumerate, flag, many } from '../../framework/define.js';
import { confirmRemoval } from '../../input/confirm-removal.js';
import { forEach } from '../../targets/for-each.js';
import { unknownProfile } from '../../targets/profiles.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove profiles and their keys',
  arguments: { names: many('name', 'name of the profile', { completes: 'profile' }) },
  options: { yes: flag('-y, --yes', 'do not ask for confirmation'), dryRun },
  examples: [{ does: 'Remove a profile', command: 'vc profile rm office' }],
  async run(context, { names }, { yes, dryRun: isDry }) {
    const store = context.profiles();
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Checking ${enumerate(names)}`,
        work: async (name) => {
          const { profiles } = await store.read();
          if (!Object.hasOwn(profiles, name)) throw await unknownProfile(context, name);
          return { success: true };
        },
        did: (name) => `would remove profile ${name}`,
      });
    }
    await confirmRemoval(await context.prompt(), {
      question: `Remove profile ${enumerate(names)}? Its key cannot be shown again.`,
      yes,
    });
    let before: Promise<unknown> = Promise.resolve();
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (name) => {
        // One at a time, because all profiles are in one file.
        const work = before.then(async () => {
          if (!(await store.remove(name))) throw await unknownProfile(context, name);
          return { success: true };
        });
        before = work.catch(() => {});
        return work;
      },
      did: (name) => `removed profile ${name}`,
    });
  },
});
