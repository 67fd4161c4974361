// A test suite on one computer: each test may break everything, and the next one begins from the same
// snapshot.

import { type ComputerHandle, VirtualComputers } from 'virtual-computers';

const tests: Record<string, (desk: ComputerHandle) => Promise<boolean>> = {
  'a note is added': async (desk) => {
    await desk.bash('echo Bread >> notes.txt', { check: true });
    return (await desk.files.readText('notes.txt')) === 'Milk\nBread\n';
  },
  'all notes are deleted': async (desk) => {
    await desk.bash('rm notes.txt', { check: true });
    return !(await desk.files.exists('notes.txt'));
  },
  'there is one note at first': async (desk) =>
    (await desk.files.readText('notes.txt')) === 'Milk\n',
};

const vc = new VirtualComputers();
const project = `reset-${Date.now()}`;
await vc.projects.create(project);
try {
  const desk = await vc.computers.create(project, { name: 'desk' });
  await desk.files.write('notes.txt', 'Milk\n');
  await desk.snapshots.create('clean');
  let passed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const isPassed = await test(desk);
    passed += Number(isPassed);
    console.log(`${isPassed ? 'ok' : 'FAILED'}: ${name}`);
    await desk.reset('clean');
  }
  console.log(`${passed} of ${Object.keys(tests).length} passed`);
} finally {
  await vc.projects.delete(project); // with its computer and the snapshot
  await vc.close();
}
