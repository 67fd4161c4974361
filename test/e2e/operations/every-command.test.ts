// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { tree } from '../../../src/cli/commands/tree.js';
import { loadOutline, paths } from '../../../src/cli/generate/outline.js';
import { eventually } from '../../support/eventually.js';
import { isThorough } from '../../support/run/tiers.js';
import { openTestService } from '../../support/service/service.js';

/** A command of the script, with its input and its expected output and exit code. */
interface Line {
  readonly argv: readonly string[];
  readonly input?: string;
  readonly code?: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

const isQemu = inject('engine') === 'qemu';
/** What `vc setup --remove` says of this engine while its service runs. */
const removal = {
  docker: /^kept, Docker: (a service|\d+ computers?)$/m,
  podman: /^kept, Podman: (a service|\d+ computers?)$/m,
  qemu: /^ {2}the image linux of QEMU$/m,
  incus: /^kept, LXD and Incus: the cluster/m,
}[inject('engine')];
const noCluster = { code: 1, stderr: /^error: This service has no cluster: /m };
const cluster: readonly Line[] =
  inject('engine') === 'incus'
    ? [
        { argv: ['cluster', 'ls'], stdout: /^\S+\tonline\t/m },
        { argv: ['cluster', 'get', hostname()], stdout: /^status\tonline: /m },
        { argv: ['cluster', 'drain', 'none'], code: 5 },
        { argv: ['cluster', 'return', 'none'], code: 5 },
      ]
    : [
        { argv: ['cluster', 'ls'], ...noCluster },
        { argv: ['cluster', 'get', 'node1'], ...noCluster },
        { argv: ['cluster', 'drain', 'node1'], ...noCluster },
        { argv: ['cluster', 'return', 'node1'], ...noCluster },
      ];
const noWait = isQemu ? ['--no-wait'] : [];
const name = 'shop/desk';
/** A turn of a model that looks at the screen. */
const USE = '{"type":"computer_call","call_id":"c","actions":[{"type":"screenshot"}]}';

const computer = (verb: string, ...words: string[]) => ['computer', verb, name, ...words];

/** At least one line per command, run on a real computer. `JOB` stands for the last job's id. */
const script: readonly Line[] = [
  { argv: ['help', 'naming'], stdout: /demo\/desktop/ },
  { argv: ['completion', 'zsh'], stdout: /^#compdef vc/ },
  { argv: ['setup', '--dry-run', '--engine', 'docker'], stderr: /./ },
  { argv: ['setup', '--remove', '--dry-run'], stderr: removal },
  { argv: ['image', 'ls'], stdout: /^linux\t/m },
  { argv: ['image', 'build', 'linux', '--if-missing'] },
  { argv: ['image', 'rm', 'none', '--yes'], code: 5, stderr: /no image "none"/ },
  { argv: ['image', 'warm', 'none'], code: 5, stderr: /^error: QEMU has no image/m },
  { argv: ['image', 'import', 'lab', 'none.img', '--no-shell'], code: 1, stderr: /^error: / },
  // The service of this test holds the lock of the state directory.
  { argv: ['serve', '--listen', '127.0.0.1:0'], code: 1, stderr: /another vc serve/ },
  { argv: ['service', 'status'], stdout: /^status\trunning\nprocess\t\d+\n/ },
  { argv: ['service', 'logs'], code: 6, stderr: /runs in the foreground/ },
  { argv: ['service', 'restart'], code: 6, stderr: /runs in the foreground/ },
  { argv: ['service', 'stop', '--state', 'none'], code: 7, stderr: /no service has been started/ },
  { argv: ['whoami'], stdout: /\nrole\tadministrator\n(.*\n)*computers\t0 of 2 running/ },
  { argv: ['usage'], stdout: /^DATE\tPROJECT\t/ },
  { argv: ['dashboard', '--print'], stdout: /^http:\S+\/#login=vl_\w+\n$/ },
  ...cluster,
  { argv: ['owner', 'create', 'alice', '--max-running', '5'], stdout: /^vc_\w+\n$/ },
  { argv: ['owner', 'ls'], stdout: /^alice\tmember\tactive\t0\t5\t/m },
  { argv: ['owner', 'set', 'alice', '--max-running', 'default'] },
  { argv: ['owner', 'get', 'alice'], stdout: /^max running\tdefault$/m },
  { argv: ['owner', 'key', 'alice'], stdout: /^vc_\w+\n$/ },
  { argv: ['audit', '--owner', 'alice'], stdout: /\towner key\t/ },
  { argv: ['owner', 'rm', 'alice', '--yes'], stderr: /removed owner alice/ },
  {
    argv: ['doctor', '--json'],
    stdout: /"name":"service".*?"status":"ok".*"name":"storage".*?"status":"ok"/,
  },
  { argv: ['profile', 'get'], stdout: /base url/i },
  { argv: ['profile', 'add', 'other', '--base-url', 'BASE_URL'], input: 'KEY\n', stderr: /other/ },
  { argv: ['profile', 'use', 'other'] },
  { argv: ['profile', 'ls'], stdout: /\*\tother\t/ },
  { argv: ['login', '--profile', 'default'], input: 'KEY\n', stderr: /logged in/ },
  { argv: ['profile', 'rm', 'other', '--yes'] },
  { argv: ['key', 'create', 'agent', '--rights', 'act'], stdout: /^vc_\w+\n$/ },
  {
    argv: ['key', 'update', 'agent', '--rights', 'look'],
    stderr: /: look in all projects, never expires/,
  },
  { argv: ['key', 'update', 'agent', '--max-actions', '500'], stderr: /updated key agent/ },
  { argv: ['key', 'ls'], stdout: /^agent\t/m },
  { argv: ['key', 'get', 'agent'], stdout: /^actions\t0 of 500$/m },
  { argv: ['key', 'rm', 'agent', '--yes'], stderr: /removed key agent/ },
  { argv: ['connection', 'add', 'show', 'rtmp://live.example.com/app/name'] },
  { argv: ['connection', 'ls'], stdout: /^show\t/m },
  { argv: ['connection', 'rm', 'show', '--yes'], stderr: /removed connection show/ },
  { argv: ['volume', 'create', 'data'], stderr: /created volume data on / },
  { argv: ['volume', 'ls'], stdout: /^data\t/m },
  { argv: ['volume', 'rm', 'data', '--yes'], stderr: /removed volume data/ },
  { argv: ['webhook', 'create', 'https://8.8.8.8/', '--event', 'image.*'], stdout: /^whsec_/ },
  { argv: ['webhook', 'ls'], stdout: /^whk_\w+\thttps:\/\/8\.8\.8\.8\/\timage\.\*\tactive\t/m },
  { argv: ['webhook', 'get', 'WEBHOOK'], code: 5, stderr: /no webhook "WEBHOOK"/ },
  { argv: ['webhook', 'deliveries', 'WEBHOOK'], code: 5, stderr: /no webhook "WEBHOOK"/ },
  { argv: ['webhook', 'test', 'WEBHOOK'], code: 5, stderr: /no webhook "WEBHOOK"/ },
  { argv: ['webhook', 'rm', 'WEBHOOK', '--yes'], code: 5, stderr: /no webhook "WEBHOOK"/ },
  { argv: ['backup', 'vc.backup'], stderr: /^wrote .*vc\.backup / },
  { argv: ['restore', 'vc.backup'], code: 6, stderr: /already has service state/ },
  { argv: ['project', 'create', 'shop'] },
  { argv: ['project', 'use', 'shop'], stderr: /the default project is now shop/ },
  { argv: ['project', 'ls'], stdout: /^shop\t0\t.*\t\*$/m },
  { argv: ['secret', 'set', 'PASSWORD'], input: 's3cret', stderr: /set secret PASSWORD/ },
  { argv: ['secret', 'ls'], stdout: /^PASSWORD\t/m },
  { argv: ['secret', 'rm', 'PASSWORD', '--yes'], stderr: /removed secret PASSWORD/ },
  {
    argv: computer('create', '--auto-stop', '30', '--label', 'team=qa', '--expires', '12h'),
    stderr: /created shop\/desk/,
  },
  { argv: ['project', 'get', 'shop'], stdout: /shop\/desk\trunning/ },
  { argv: ['computer', 'ls', '-p', 'shop'], stdout: /shop\/desk\trunning/ },
  { argv: computer('get', '--jq', '.auto_stop_minutes'), stdout: /^30\n$/ },
  { argv: ['computer', 'ls', '-l', 'team=qa', '-q'], stdout: /^cmp_\w+\n$/ },
  {
    argv: ['computer', 'ls', '-l', 'team=other'],
    stderr: /no computers with the label team=other/,
  },
  {
    argv: ['exec', '-l', 'team', '--', 'sh', '-c', 'printf here; exit 7'],
    code: 7,
    stdout: /^desk \| here\n$/,
  },
  { argv: ['bash', '--all', '-p', 'shop', 'echo there'], stdout: /^desk \| there\n$/ },
  {
    argv: ['bash', '-l', 'team=qa', 'echo here', '--json'],
    stdout: /^\[{"name":"shop\/desk","answer":{"success":true,"output":"here\\n",.*}}\]\n$/,
  },
  { argv: computer('stats'), stdout: /^shop\/desk\t\d+\.\d%\t\d+ MiB of 2 GiB\t\d/m },
  { argv: computer('update', '--protect') },
  { argv: computer('rm', '--yes'), code: 6, stderr: /protected/ },
  { argv: computer('update', '--unprotect', '--label', 'team-', '--expires', 'never') },
  { argv: computer('get', '--jq', '[.labels, .expires_at]'), stdout: /^\[\s*{},\s*null\s*\]\n$/ },
  { argv: computer('bash', 'echo $((6 * 7))'), stdout: /^42\n$/ },
  { argv: computer('python', '-c', 'print(6 * 7)'), stdout: /^42\n$/ },
  { argv: computer('exec', '--', 'sh', '-c', 'cat; exit 7'), input: 'in', code: 7, stdout: /^in$/ },
  { argv: computer('shell'), input: 'echo here\n', stdout: /here/ },
  { argv: computer('ssh', 'cat; exit 7'), input: 'in', code: 7, stdout: /^in$/ },
  { argv: ['ssh-config', '--print'], stdout: /^Match originalhost "\*\.vc,/m },
  { argv: computer('move', '10', '20') },
  { argv: computer('bash', 'xdotool getmouselocation'), stdout: /x:10 y:20/ },
  { argv: computer('drag', '10', '20', '30', '40') },
  { argv: computer('click', '600', '300') },
  { argv: computer('elements'), stdout: /\tbutton\tMousepad\t/ },
  { argv: computer('find', '--name', 'Mousepad', '-q'), stdout: /^[0-9a-f]{8}-1\.\d+-\d+$/m },
  { argv: computer('scroll', 'down') },
  { argv: computer('mouse-down', '600', '300') },
  { argv: computer('mouse-up', '610', '300') },
  { argv: computer('cursor'), stdout: /^610 300\n$/ },
  { argv: computer('key-down', 'shift') },
  { argv: computer('key-up', 'shift') },
  { argv: computer('type', 'Grüße') },
  { argv: computer('key', 'Escape') },
  { argv: computer('control'), stdout: /nobody has control alone/ },
  { argv: computer('control', 'take'), stdout: /you have control/ },
  { argv: computer('control', 'release') },
  { argv: computer('clipboard', 'set', 'Grüße 👍'), stderr: /set the clipboard/ },
  { argv: computer('clipboard'), stdout: /^Grüße 👍$/ },
  { argv: computer('wait', '--stable') },
  { argv: computer('use', '-'), input: USE, stdout: /computer_call_output/ },
  { argv: computer('use', '--tools', '--dialect', 'openai'), stdout: /"type": ?"computer"/ },
  { argv: computer('run', '-'), input: '{"action":"move","x":1,"y":2}\n' },
  { argv: computer('screenshot', '-o', 'shot.png'), stderr: /wrote shot\.png/ },
  { argv: computer('record', '-o', 'clip.mp4', '--for', '1s'), stderr: /wrote clip\.mp4/ },
  { argv: computer('trajectory', 'start', '--for', '1m'), stderr: /recording the actions/ },
  { argv: computer('move', '5', '5') },
  { argv: computer('trajectory'), stdout: /^status\trecording$/m },
  { argv: computer('trajectory', 'end', '-o', 'steps'), stderr: /wrote steps \(1 steps/ },
  { argv: computer('trajectory', 'rm'), stderr: /removed the trajectory/ },
  { argv: computer('record-run', 'none', '--', 'true'), stderr: /wrote none \(0 steps\)/ },
  { argv: computer('replay', 'steps', '--within', '1m'), stderr: /replayed 1 step in/ },
  { argv: computer('view', '--print'), stdout: /^http:\/\/127\.0\.0\.1:\d+\/api\/view\// },
  { argv: ['computer', 'stream', 'status', name], stdout: /^idle\n$/ },
  { argv: ['computer', 'cp', 'note.txt', `${name}:`], stderr: /copied 1 file/ },
  { argv: computer('bash', 'cat note.txt'), stdout: /^a note$/ },
  {
    argv: ['computer', 'sync', '.', `${name}:all`, '--exclude', '*', '--json'],
    stdout: /"synced"/,
  },
  { argv: ['cp', '--all', '-p', 'shop', 'note.txt', ':'], stderr: /copied .* to shop\/desk/ },
  { argv: computer('bash', '--background', 'sleep 1000'), stdout: /^job_\w+\n$/ },
  { argv: ['job', 'ls', name], stdout: /\trunning\t.*sleep 1000/ },
  { argv: ['job', 'get', name, 'JOB'], stdout: /^status\trunning$/m },
  { argv: ['job', 'logs', name, 'JOB'], stdout: /^$/ },
  { argv: ['job', 'end', name, 'JOB'] },
  { argv: computer('history'), stdout: /\ttype\t/ },
  { argv: computer('network'), stderr: /no names were refused; network: internet/ },
  { argv: ['audit'], stdout: /\ttype\t/ },
  {
    argv: ['api', `/computers/{${name}}/click`, '-F', 'x=1', '-F', 'y=2'],
    stdout: /^\{"success":true/,
  },
  { argv: ['api', `/computers/{${name}}/screenshot`, '-H', 'Accept: image/png'], stdout: /^.PNG/ },
  { argv: ['api', '/projects/{project}', '--jq', '.name'], stdout: /^shop\n$/ },
  {
    argv: ['api', 'PUT', `/computers/{${name}}/files?path=api.txt`, '--input', '-'],
    ...{ input: 'by api', stdout: /"size":6/ },
  },
  { argv: ['api', `/computers/{${name}}/files?path=api.txt`], stdout: /^by api$/ },
  {
    argv: ['api', '/computers/{computer}/jobs/none', '-i'],
    code: 5,
    stdout: /^HTTP\/1\.1 404 Not Found\n/,
  },
  {
    argv: ['api', '/audit?limit=3', '--paginate', '--jq', '.entries | length > 10'],
    stdout: /^true\n$/,
  },
  { argv: ['alias', 'set', 'say', 'bash $1 "echo said $2"'], stderr: /added the alias say/ },
  { argv: ['mcp', '--config', 'codex'], stdout: /command = "vc"/ },
  { argv: ['alias', 'ls'], stdout: /^say\tbash \$1 "echo said \$2"$/m },
  { argv: ['say', name, 'hello'], stdout: /^said hello\n$/ },
  { argv: ['alias', 'rm', 'say'], stderr: /removed the alias say/ },
  // A browser would keep an emulated machine busy for minutes.
  isQemu
    ? { argv: ['computer', 'open', '--help'], stdout: /^Usage: vc computer open/ }
    : {
        argv: computer('open', 'file:///etc/hosts'),
        stderr: /opened file:\/\/\/etc\/hosts in chromium/,
      },
  isQemu
    ? { argv: ['computer', 'cdp', '--help'], stdout: /^Usage: vc computer cdp/ }
    : { argv: computer('cdp'), stdout: /^ws:\/\/127\.0\.0\.1:\d+\/api\/.*ticket=vt_\w+\n$/ },
  {
    argv: ['publication', 'create', name, '8000'],
    stdout: /^http:\/\/8000-desk-\w{26}\.localhost:\d+\/\?vc_ticket=vt_\w{32}\n$/,
  },
  { argv: ['publication', 'ls', name], stdout: /^shop\/desk\t8000\tlink\t/m },
  { argv: ['publication', 'rm', name, '8000'], stderr: /ended the publication of shop\/desk/ },
  { argv: ['snapshot', 'create', name, 'clean', '--no-memory'], stderr: /as clean/ },
  { argv: ['snapshot', 'ls', name], stdout: /^clean\t/m },
  { argv: ['image', 'save', `${name}@clean`, 'saved'], stderr: /as the image saved/ },
  { argv: ['image', 'log', 'saved'], stderr: /saved has no log of a build/ },
  { argv: ['image', 'prune', '--yes'], stderr: /freed 0 B/ },
  { argv: ['image', 'rm', 'saved', '--yes'], stderr: /removed the image saved/ },
  { argv: computer('stop') },
  { argv: computer('get'), stdout: /^status\tstopped: Key ".+" stopped it\.$/m },
  { argv: computer('reset', 'clean'), stderr: /reset shop\/desk/ },
  { argv: ['snapshot', 'rm', name, 'clean', '--yes'] },
  { argv: computer('fork', 'copy'), stderr: /copy/ },
  // With --no-wait on QEMU, since an emulated machine takes a minute to boot.
  { argv: computer('start', ...noWait) },
  { argv: computer('restart', ...noWait) },
  { argv: ['project', 'stop', 'shop'], stderr: /stopped shop\/desk/ },
  // Without computers, since emulated machines would boot: surfaces.test.ts does that over HTTP.
  ...(isQemu && !isThorough
    ? [
        { argv: ['computer', 'rm', name, 'shop/copy', '--yes'], stderr: /removed shop\/copy/ },
        { argv: ['project', 'start', 'shop'], stderr: /project shop has no computers/ },
        { argv: ['project', 'restart', 'shop'], stderr: /project shop has no computers/ },
      ]
    : [
        { argv: ['project', 'start', 'shop'], stderr: /started shop\/desk/ },
        { argv: ['project', 'restart', 'shop'], stderr: /restarted shop\/desk/ },
        { argv: computer('rm', '--yes'), stderr: /removed/ },
      ]),
  // test/e2e/cli/fleet-file.test.ts has files that exist.
  ...['up', 'diff', 'down'].map((verb) => ({
    argv: [verb, '-f', 'none.yaml'],
    code: 2,
    stderr: /cannot read none\.yaml/,
  })),
  // test/e2e/cli/runs.test.ts has files that exist.
  { argv: ['run', 'none.yaml'], code: 2, stderr: /cannot read none\.yaml/ },
  { argv: ['project', 'rename', 'shop', 'store'], stderr: /renamed project shop to store/ },
  { argv: ['project', 'rm', 'store', '--yes'], stderr: /removed project store/ },
  // Both do what the lines above do, and an emulated machine takes long.
  ...(isQemu
    ? [{ argv: ['try', '--help'], stdout: /^Usage: vc try/ }]
    : [
        { argv: ['try'], stderr: /vc create try\n(.*\n)*try keeps running\. Next:\n/ },
        { argv: ['try', '-q'], stdout: /^try\n$/ },
        { argv: ['project', 'rm', 'default', '--yes'] },
      ]),
  isQemu && !isThorough
    ? { argv: ['demo', '--help'], stdout: /^Usage: vc demo/ }
    : { argv: ['demo', '--pause', '0'], stderr: /removed project demo-/ },
];

it('the script has every command of the tree', async () => {
  const all = paths(await loadOutline(tree)).map(({ path }) =>
    path.map(([first]) => first).join(' '),
  );
  const lines = script.map(({ argv }) => argv.join(' '));
  // They run until they are interrupted; forward.test.ts, vnc.test.ts and surfaces.test.ts test them.
  const isCovered = (path: string) =>
    ['computer forward', 'computer vnc', 'events'].includes(path) ||
    lines.some((l) => l.startsWith(path));
  expect(all.filter((path) => !isCovered(path))).toEqual([]);
});

it('every line of the script has the expected output', async () => {
  // Of its own for each attempt: the first lines expect nothing to be there.
  const service = await openTestService();
  onTestFinished(() => service.close());
  writeFileSync(join(service.directory, 'note.txt'), 'a note');
  let job = '';
  for (const { argv, input, code = 0, stdout = /^/, stderr = /^/ } of script) {
    const filled = (text: string) =>
      text.replace('JOB', job).replace('KEY', service.apiKey).replace('BASE_URL', service.baseUrl);
    const outcome = await service.cli(argv.map(filled), {
      cwd: service.directory,
      ...(input === undefined ? {} : { input: filled(input) }),
    });
    const seen = { code: outcome.code, stdout: outcome.stdout, stderr: outcome.stderr };
    expect(seen, `vc ${argv.join(' ')}\n${outcome.stderr}`).toEqual({
      ...{ code, stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) },
    });
    job = /^job_\w+(?=\n$)/.exec(outcome.stdout)?.[0] ?? job;
  }
  expect(readFileSync(join(service.directory, 'clip.mp4')).subarray(4, 8).toString()).toBe('ftyp');
  await eventually(async () => (await service.vc.projects.list()).length === 0);
}, 600_000);
