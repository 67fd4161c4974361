// A subscription: what happens to the computers of a project, as it happens.

import { VirtualComputers } from 'virtual-computers';

const vc = new VirtualComputers();
const project = `events-${Date.now()}`;
await vc.projects.create(project);
try {
  // The stream begins with what happens from now on, so it is opened first.
  const events = await vc.events({ project, types: ['computer.status', 'job.exited'] }).open();
  const watching = (async () => {
    for await (const event of events) {
      if (event.type === 'computer.status') console.log(`${event.name} is ${event.status}`);
      if (event.type !== 'job.exited') continue;
      console.log(`job exited with ${event.exit_code}`);
      break; // Leaving the loop closes the stream.
    }
  })();
  const desk = await vc.computers.create(project, { name: 'desk' });
  await desk.bash('sleep 0.5; exit 3', { background: true });
  await watching;
} finally {
  await vc.projects.delete(project);
  await vc.close();
}
