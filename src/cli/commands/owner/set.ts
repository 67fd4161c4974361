import { MOST_RUNNING, MOST_STORAGE } from '../../../contract/constants.js';
import { UsageError } from '../../errors/cli-error.js';
import { defineCommand, value } from '../../framework/define.js';
import { number } from '../../input/parse.js';
import { fields } from '../../output/fields.js';
import { done, print, printJson } from '../../output/print.js';
import { request } from '../../targets/client.js';
import { ownerArgument } from '../../targets/owners.js';

const gigabytes = number({ min: 0, max: MOST_STORAGE, unit: 'GB' });
const computers = number({ min: 1, max: MOST_RUNNING, unit: 'computers' });

export const command = defineCommand({
  name: 'set',
  summary: 'Change how much an owner may run and store',
  details:
    'Running computers keep running, also beyond a lower limit; snapshots, images and volumes stay.',
  arguments: { owner: ownerArgument },
  options: {
    maxRunning: value(
      '--max-running <n>',
      "computers it may run at once, or default for the service's limit",
      (text) => (text === 'default' ? null : computers(text)),
    ),
    maxStorage: value(
      '--max-storage <gb>',
      "GB that its snapshots, images and volumes may take, or default for the service's limit",
      (text) => (text === 'default' ? null : gigabytes(text)),
    ),
  },
  fields: fields.owner,
  examples: [
    { does: 'Allow twenty running computers', command: 'vc owner set alice --max-running 20' },
    { does: "Use the service's limit again", command: 'vc owner set alice --max-running default' },
  ],
  async run(context, { owner: name }, { maxRunning, maxStorage }) {
    if (maxRunning === undefined && maxStorage === undefined) {
      throw new UsageError('no changes given', 'for example: --max-running 20');
    }
    const owner = await request(context, 'updateOwner', {
      params: { owner: name },
      body: {
        ...(maxRunning !== undefined && { max_running: maxRunning }),
        ...(maxStorage !== undefined && { max_storage: maxStorage }),
      },
    });
    if (context.globals.json) await printJson(context, owner);
    else if (context.globals.quiet) await print(context, owner.id);
    else {
      const limit = (most: number | null) => most ?? "the service's limit";
      if (maxRunning !== undefined) {
        await done(context, `running computers of ${owner.name}: ${limit(owner.max_running)}`);
      }
      if (maxStorage !== undefined) {
        await done(context, `storage of ${owner.name} in GB: ${limit(owner.max_storage)}`);
      }
    }
  },
});
