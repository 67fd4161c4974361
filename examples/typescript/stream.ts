// A long command: its output as it arrives, and ending it.

import { VirtualComputers } from 'virtual-computers';

const vc = new VirtualComputers();
const project = `stream-${Date.now()}`;
await vc.projects.create(project);
try {
  const desk = await vc.computers.create(project, { name: 'desk' });

  const { exitCode } = await desk.run('for i in 1 2 3; do echo $i; sleep 0.2; done; exit 7', {
    onStdout: (text) => process.stdout.write(text),
    onStderr: (text) => process.stderr.write(text),
    timeout: 600, // Seconds; without it, it may run for as long as it takes.
  });
  console.log('exit code', exitCode);

  // Ending the call ends the command with all that it has started.
  const controller = new AbortController();
  const endless = desk.run('while :; do echo still here; sleep 0.1; done', {
    signal: controller.signal,
    onStdout: () => controller.abort(),
  });
  await endless.catch((error: Error) => console.log(`ended: ${error.name}`));

  // A command that has to outlive this program is a job.
  const { job_id: job = '' } = await desk.bash('sleep 1; echo done', { background: true });
  for await (const text of desk.jobs.follow(job)) process.stdout.write(text);
} finally {
  await vc.projects.delete(project);
  await vc.close();
}
