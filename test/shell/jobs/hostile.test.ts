import { expect, test } from 'vitest';
import { promise } from '../../support/run/promise.js';
import { openGuest } from '../support/guest.js';

const JOB = 'job_0mi4x2k9a01234567';

promise(29, 'a hostile list of jobs is cut after 100', async (report) => {
  const guest = await openGuest({
    onExec(channel) {
      channel.on('error', () => undefined);
      channel.resume();
      channel.write('found\n');
      const job = `${JOB}${'\0'.repeat(9)}`;
      channel.write(Buffer.alloc(4 << 20, job), () => {
        channel.exit(0);
        channel.close();
      });
    },
  });
  try {
    const jobs = await guest.shell.jobs.list();
    const bytes = JSON.stringify(jobs).length;
    expect(jobs).toHaveLength(100);
    expect(bytes).toBeLessThan(1 << 20);
    report(`4 MiB of jobs answered in ${Math.round(bytes / 1024)} KiB`);
  } finally {
    guest.close();
  }
});

promise(29, 'no field of a hostile job is longer than a real one', async () => {
  const guest = await openGuest({
    onExec(channel) {
      channel.on('error', () => undefined);
      channel.resume();
      const field = Buffer.alloc(100_000, 'x');
      const fields = [Buffer.from(JOB), ...Array.from({ length: 8 }, () => field)];
      const job = Buffer.concat(fields.flatMap((each) => [each, Buffer.of(0)]));
      channel.write('found\n');
      channel.write(job, () => {
        channel.exit(0);
        channel.close();
      });
    },
  });
  try {
    const jobs = await guest.shell.jobs.list();
    expect(jobs).toHaveLength(1);
    for (const { id, command } of jobs) expect(id.length + command.length).toBeLessThan(8192);
  } finally {
    guest.close();
  }
});

test('a job with another id than the requested one is not found', async () => {
  const guest = await openGuest({
    onExec(channel) {
      channel.on('error', () => undefined);
      channel.resume();
      const fields = ['job_\u001b[2J', 'exited', '42', '0', '100', '160', '0', '0', 'make'];
      channel.write(`found\n${fields.map((field) => `${field}\0`).join('')}`, () => {
        channel.exit(0);
        channel.close();
      });
    },
  });
  try {
    const range = { offset: 0, limit: 16 };
    await expect(guest.shell.jobs.get(JOB, range)).rejects.toMatchObject({ code: 'not_found' });
    await expect(guest.shell.jobs.end(JOB)).rejects.toMatchObject({ code: 'not_found' });
    expect(await guest.shell.jobs.list()).toEqual([]);
  } finally {
    guest.close();
  }
});
