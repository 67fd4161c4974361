import { confirmLoss } from '../../confirm-loss.js';
import { defineCommand, dryRun, enumerate, flag, many } from '../../define.js';
import { forEach } from '../../each.js';
import { unknownProfile } from '../../profiles.js';

export const command = defineCommand({
  name: 'rm',
  aliases: ['delete', 'remove'],
  summary: 'Remove profiles with the keys in them',
  arguments: { names: many('name', 'names of profiles', { completes: 'profile' }) },
  options: { yes: flag('-y, --yes', 'do not ask'), dryRun },
  examples: [{ does: 'Forget a service', command: 'vc profile rm office' }],
  async run(context, { names }, { yes, dryRun: isDry }) {
    const store = context.profiles();
    if (isDry) {
      return forEach(context, {
        names,
        doing: `Looking at ${enumerate(names)}`,
        work: async (name) => {
          const { profiles } = await store.read();
          if (!Object.hasOwn(profiles, name)) throw await unknownProfile(context, name);
          return { success: true };
        },
        did: (name) => `would remove profile ${name}`,
      });
    }
    await confirmLoss(await context.prompt(), {
      question: `Remove profile ${enumerate(names)}? Its key cannot be shown again.`,
      yes,
    });
    let before: Promise<unknown> = Promise.resolve();
    return forEach(context, {
      names,
      doing: `Removing ${enumerate(names)}`,
      work: (name) => {
        // One file: one after the other.
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
