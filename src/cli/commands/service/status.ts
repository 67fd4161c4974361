import type { Health } from '../../../contract/index.js';
import { sameBaseUrl } from '../../../profile/index.js';
import { ExitCode } from '../../errors/exit-codes.js';
import type { Context } from '../../framework/context.js';
import { defineCommand } from '../../framework/define.js';
import { fields } from '../../output/fields.js';
import { recordFormat } from '../../output/format/options.js';
import { note, print, printJson } from '../../output/print.js';
import { during } from '../../output/progress.js';
import { printRecord, type RecordField } from '../../output/table.js';
import { healthInDetail } from '../../serve/health.js';
import { runningProcess } from '../../service/record.js';
import {
  findService,
  noteWebPage,
  stateFlag,
  stateOption,
  type Target,
} from '../../service/target.js';

export const command = defineCommand({
  name: 'status',
  summary: 'Show the service of this machine',
  details: [
    'Shows the process, address, version, engines, uptime and health of the service. Exits with 7 if',
    'it does not run or does not answer.',
  ].join(' '),
  arguments: {},
  options: { state: stateOption, output: recordFormat },
  fields: fields.service,
  examples: [
    { does: 'Show the service', command: 'vc service status' },
    { does: 'Start it unless it runs', command: 'vc service status -q || vc serve --detach' },
  ],
  async run(context, _, { state }) {
    const target = await findService(context, state);
    const status = await during(context.progress('Asking the service'), look(context, target));
    const { globals } = context;
    if (globals.json) await printJson(context, status);
    else if (globals.quiet) {
      if (status.pid !== null) await print(context, String(status.pid));
    } else await printRecord(context, lines(status));
    if (status.status === 'running') {
      await noteWebPage(context, status.url);
      return ExitCode.ok;
    }
    const flag = stateFlag(context, target.directory);
    const remedy =
      status.status === 'stopped'
        ? `to start it with the same options: vc service restart${flag}`
        : `see its log: vc service logs${flag}; to restart it: vc service restart${flag}; to end it: vc service stop --force${flag}`;
    await note(context, remedy);
    return ExitCode.unreachable;
  },
});

type Status = Awaited<ReturnType<typeof look>>;

async function look(context: Context, { record, directory }: Target) {
  const { url, version, log, argv, started_at } = record;
  const health = await ask(context, url);
  // Without /proc only an answer shows that it runs.
  const process = await runningProcess(record);
  const isRunning = process !== undefined || (record.process === null && health !== undefined);
  const status = !isRunning ? 'stopped' : health === undefined ? 'not answering' : 'running';
  const uptime = Math.round((context.now().getTime() - Date.parse(started_at)) / 1000);
  return {
    status,
    pid: process?.pid ?? null,
    url,
    port: Number(new URL(url).port),
    version,
    health: (isRunning && health?.status) || null,
    engines: (isRunning && health?.engines) || [],
    store: (isRunning && health?.store) || null,
    started_at,
    uptime_seconds: isRunning ? Math.max(0, uptime) : null,
    in_background: log !== null,
    log,
    state_directory: directory,
    options: argv.slice(1),
  } as const;
}

/** With the key of the profile, if that is for this service, the answer has details. */
async function ask(context: Context, url: string): Promise<Health | undefined> {
  const { baseUrl, apiKey, socketPath, ca } = await context.settings();
  const isOurs = sameBaseUrl(baseUrl.value, url);
  const credentials = { apiKey: apiKey?.value, socketPath, ca };
  const settings = { baseUrl: url, ...(isOurs ? credentials : {}) };
  const health = await healthInDetail(settings, context.interrupts.signal);
  return health === 'silent' ? undefined : health;
}

function lines(status: Status): RecordField[] {
  const { pid, health, engines, store, log } = status;
  const isRunning = status.status !== 'stopped';
  const found = store?.usable === false ? ` (its state: ${store.detail || 'not usable'})` : '';
  return [
    ['status', status.status],
    ...(pid === null ? [] : [['process', String(pid)] as const]),
    ['address', status.url],
    ['version', status.version],
    ...(health === null ? [] : [['health', `${health}${found}`] as const]),
    ...engines.map(
      (engine, index): RecordField => [
        index === 0 ? 'engines' : '',
        `${engine.name}: ${engineState(engine)}`,
      ],
    ),
    [isRunning ? 'up since' : 'started', status.started_at, 'time'],
    ['log', log ?? 'stderr of the process'],
    ['state', status.state_directory],
  ];
}

function engineState({ usable, detail }: Health['engines'][number]): string {
  if (detail === '') return usable ? 'usable' : 'not usable';
  return usable ? detail : `not usable: ${detail}`;
}
