import { expect } from 'vitest';
import { promise } from '../../support/run/promise.js';
import { openGuest } from '../support/guest.js';

promise(29, 'a hostile list of jobs is cut after 100', async (report) => {
  const guest = await openGuest({
    onExec(channel) {
      channel.on('error', () => undefined);
      channel.resume();
      channel.write('found\n');
      channel.write(Buffer.alloc(4 << 20), () => {
        channel.exit(0);
        channel.close();
      });
    },
  });
  try {
    const jobs = await guest.shell.jobs.list();
    const bytes = JSON.stringify(jobs).length;
    expect(jobs.length).toBeLessThanOrEqual(100);
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
      const job = Buffer.concat(Array.from({ length: 9 }, () => [field, Buffer.of(0)]).flat());
      channel.write('found\n');
      channel.write(job, () => {
        channel.exit(0);
        channel.close();
      });
    },
  });
  try {
    const jobs = await guest.shell.jobs.list();
    for (const { id, command } of jobs) expect(id.length + command.length).toBeLessThan(8192);
  } finally {
    guest.close();
  }
});
