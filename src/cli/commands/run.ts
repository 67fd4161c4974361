import { resolve } from 'node:path';
import { writeOutputFile } from '../../lib/fs/output-file.js';
import { count } from '../../lib/text/count.js';
import { fileTimestamp } from '../../lib/text/file-timestamp.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { ExitCode } from '../errors/exit-codes.js';
import { cannotWrite } from '../errors/file-errors.js';
import { defineCommand, flag, optional, value } from '../framework/define.js';
import { nonEmpty, number } from '../input/parse.js';
import { note, printJson } from '../output/print.js';
import { printTable } from '../output/table.js';
import { request } from '../targets/client.js';

const DEFAULT_FILE = 'tasks.yaml';

export const command = defineCommand({
  name: 'run',
  summary: 'Run tasks of an agent, each on a new computer',
  details: [
    'For each task of the file: creates a computer, runs the command of the agent on this machine with',
    'VC_COMPUTER, VC_PROMPT and a key for that computer alone, checks the result, and removes the computer.',
    'The directory of results has a log, a screenshot and a trajectory for each task. Run again with the',
    'same --out, an interrupted run continues. The exit code is 1 if a task has not passed.',
    'The shortest file is {name: demo, tasks: {note: {agent: ./agent.sh, check: {file: note.txt}}}};',
    '--schema has all that it can have.',
  ].join(' '),
  arguments: {
    file: optional('tasks', `file of tasks; ${DEFAULT_FILE} without it`, nonEmpty, {
      completes: 'file',
    }),
  },
  options: {
    computers: value(
      '--computers <n>',
      'tasks at the same time',
      number({ min: 1, max: 100, unit: 'computers' }),
      { otherwise: '1' },
    ),
    out: value('--out <directory>', 'directory of the results', nonEmpty, {
      otherwise: 'a new one, NAME-TIME',
      completes: 'file',
    }),
    junit: value('--junit <file>', 'also write the results as JUnit XML', nonEmpty, {
      completes: 'file',
    }),
    retryFailed: flag('--retry-failed', 'also run tasks again that have not passed'),
    video: flag('--video', 'record the screen of each task'),
    keep: flag('--keep', 'do not remove the computers'),
    schema: flag('--schema', 'print the JSON schema of the file, for editors'),
  },
  examples: [
    { does: 'Run four tasks at a time', command: 'vc run tasks.yaml --computers 4' },
    { does: 'Continue a run that was interrupted', command: 'vc run tasks.yaml --out results' },
    { does: 'In CI', command: 'vc run tasks.yaml --out results --junit results.xml' },
    { does: 'Save the schema for an editor', command: 'vc run --schema > tasks.schema.json' },
  ],
  async run(context, { file = DEFAULT_FILE }, options) {
    if (options.schema) {
      const { runSchema } = await import('../run/schema.js');
      return printJson(context, runSchema());
    }
    // Loaded only here, because the schemas take time to load.
    const [{ loadTasks }, { RunDirectory, resultColumns }, { runAll }] = await Promise.all([
      import('../run/load.js'),
      import('../run/results.js'),
      import('../run/run-all.js'),
    ]);
    const tasks = await loadTasks(context, file);
    // Nothing is written if the service cannot be used.
    await request(context, 'getMe');
    const shown = options.out ?? `${tasks.name}-${fileTimestamp(context.now())}`;
    const directory = await RunDirectory.open(context, shown, tasks.name);
    context.whenInterrupted(`to continue: vc run ${shellWord(file)} --out ${shellWord(shown)}`);
    const results = await runAll(context, { tasks, directory, ...options });
    if (options.junit !== undefined) {
      const path = resolve(context.cwd, options.junit);
      const { junit } = await import('../run/junit.js');
      await writeOutputFile(path, Buffer.from(junit(tasks.name, results))).catch((error) => {
        throw cannotWrite(options.junit ?? '', error);
      });
    }
    if (!context.globals.json) await printTable(context, resultColumns, results);
    const passed = results.filter(({ status }) => status === 'passed').length;
    const all = count(results.length, 'task');
    await note(context, `${passed} of ${all} passed; the results are in ${shown}`);
    return passed === results.length ? ExitCode.ok : ExitCode.failure;
  },
});
