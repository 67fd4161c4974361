// A search that tries eight ways from one state, each in a copy of its own. The service must let nine
// computers run: `vc serve --max-running 9`.

import { ServiceError, VirtualComputers } from 'virtual-computers';

/** What a model might propose as the body of the function. */
const WAYS = [
  'year % 4 == 0',
  'year % 100 != 0',
  'year % 4 == 0 and year % 100 != 0',
  'year % 400 == 0',
  'year % 4 == 0 or year % 400 == 0',
  'year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)',
  'year % 4 == 0 and year % 400 == 0',
  'year % 2 == 0',
];
const TEST = `from leap import is_leap
assert [is_leap(year) for year in (1900, 2000, 2023, 2024)] == [False, True, False, True]
`;

const vc = new VirtualComputers();
const project = `search-${Date.now()}`;
await vc.projects.create(project);
try {
  const desk = await vc.computers.create(project, { name: 'desk' });
  await desk.files.write('test.py', TEST);
  await desk.snapshots.create('prepared');
  const names = WAYS.map((_, index) => `way-${index + 1}`);
  const copies = await desk.fork(names, { snapshot: 'prepared' });
  const results = await Promise.all(
    copies.map(async (copy, index) => {
      await copy.files.write('leap.py', `def is_leap(year):\n    return ${WAYS[index]}\n`);
      const { exit_code } = await copy.bash('python3 test.py');
      return { name: copy.name, way: WAYS[index], isPassed: exit_code === 0 };
    }),
  );
  for (const { name, isPassed } of results) console.log(`${name} ${isPassed ? 'passes' : 'fails'}`);
  console.log(`found: ${results.find(({ isPassed }) => isPassed)?.way}`);
} catch (error) {
  if (error instanceof ServiceError && error.code === 'limit_reached') {
    console.error(`${error.message} ${error.remedy ?? ''}`);
    process.exitCode = 1;
  } else throw error;
} finally {
  await vc.projects.delete(project); // with its computers
  await vc.close();
}
