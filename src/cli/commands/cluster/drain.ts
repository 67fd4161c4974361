import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterMember } from '../../../contract/resources.js';
import { count } from '../../../lib/text/count.js';
import { CliError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { argument, defineCommand, flag } from '../../framework/define.js';
import { nonEmpty } from '../../input/parse.js';
import { done, printJson } from '../../output/print.js';
import { during, type Progress } from '../../output/progress.js';
import { request } from '../../targets/client.js';

const ASK_EVERY_MS = 1_000;

export const command = defineCommand({
  name: 'drain',
  summary: 'Move the computers of a member to others',
  details: [
    'For administrators. The member gets no new computers until vc cluster return. Its computers are',
    'moved one at a time: a running one is stopped, moved with its disk, which may take minutes, and',
    'started. The service does this also without this command, which waits for the end.',
  ].join(' '),
  arguments: { member: argument('member', 'name', nonEmpty, { completes: 'member' }) },
  options: { detach: flag('-d, --detach', 'do not wait for the end') },
  examples: [
    { does: 'Empty a member before it is repaired', command: 'vc cluster drain node2' },
    { does: 'Begin it, and look later', command: 'vc cluster drain node2 --detach' },
  ],
  async run(context, { member: name }, { detach }) {
    const params = { member: name };
    let member: ClusterMember = await request(context, 'drainMember', { params });
    if (!detach) {
      context.whenInterrupted(`the service continues; see: vc cluster get ${name}`);
      const progress = context.progress(progressOf(member));
      member = await during(progress, untilDrained(context, member, progress));
    }
    if (context.globals.json) await printJson(context, member);
    else if (member.drain === null) await done(context, `${name} was returned meanwhile`);
    else if (member.computer_count === 0) await done(context, `${name} has no computers any more`);
    else {
      const computers = count(member.computer_count, 'computer');
      await done(context, `moving ${computers} from ${name}; see: vc cluster get ${name}`);
    }
  },
});

/** Throws when all that are left could not be moved. */
async function untilDrained(
  context: Context,
  first: ClusterMember,
  progress: Progress,
): Promise<ClusterMember> {
  for (let member = first; ; ) {
    const { drain, computer_count: left, name } = member;
    if (drain === null || left === 0) return member;
    const [failed] = drain.failed;
    if (failed !== undefined && drain.moving === null && drain.failed.length >= left) {
      throw new CliError(
        `${count(left, 'computer')} of ${name} could not be moved; ${failed.id}: ${failed.error}`,
        {
          remedy: `the service tries again later; now: vc cluster drain ${name}`,
          exitCode: ExitCode.failure,
          code: 'conflict',
        },
      );
    }
    progress.update(progressOf(member));
    await sleep(ASK_EVERY_MS, undefined, { signal: context.interrupts.signal });
    member = await request(context, 'getMember', { params: { member: name } });
  }
}

function progressOf({ name, computer_count: left, drain }: ClusterMember): string {
  const moving = drain?.moving ? `, moving ${drain.moving}` : '';
  return `Draining ${name}: ${count(left, 'computer')} left${moving}`;
}
