// Three computers at the same time. An owner may run two by default: `vc serve --max-running 3`.

import { ServiceError, VirtualComputers } from 'virtual-computers';

const vc = new VirtualComputers();
const project = `parallel-${Date.now()}`;
await vc.projects.create(project);
try {
  const results = await Promise.all(
    ['one', 'two', 'three'].map(async (name, index) => {
      const desk = await vc.computers.create(project, { name });
      const { output } = await desk.python(`print(sum(range(10 ** ${index + 5})))`, {
        check: true,
      });
      return `${name}: ${output.trim()}`;
    }),
  );
  console.log(results.join('\n'));
} catch (error) {
  if (error instanceof ServiceError && error.code === 'limit_reached') {
    console.error(`${error.message} ${error.remedy ?? ''}`);
    process.exitCode = 1;
  } else throw error;
} finally {
  await vc.projects.delete(project); // with its computers
  await vc.close();
}
