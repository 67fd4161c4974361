// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tree } from '../../src/cli/commands/tree.js';
import { Interrupts } from '../../src/cli/framework/interrupts.js';
import { loadOutline, paths } from '../../src/cli/generate/outline.js';
import { computer, openWorld, project, type RunOptions, type World } from './support/run.js';

/** One run of a command against a fake service. */
interface Case extends Omit<RunOptions, 'interrupts'> {
  readonly argv: readonly string[];
  /** Answers of the service by `METHOD /path`. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** All expected requests in order, with their bodies; not checked if absent. */
  readonly asks?: readonly (string | readonly [string, unknown])[];
  readonly code?: number;
  readonly stdout: string | RegExp;
  readonly stderr?: string | RegExp;
  /** Interrupts the command while it runs. */
  readonly endedBy?: 'Ctrl-C';
}

const at = '/projects/demo/computers/desktop';
const name = 'demo/desktop';
const success = { success: true };
const key = {
  ...{ id: 'key_1', name: 'ci', prefix: 'vc_0123', rights: 'manage', project: null },
  ...{ expires_at: null, created_at: project.created_at, last_used_at: null, created_by: null },
  ...{ max_computers: null, max_hours: 10, max_actions: null },
  used: { computers: 3, hours: 2.5, actions: 840 },
};
const stream = { success: true, status: 'streaming', pid: 7, start_time: computer.created_at };
const connection = {
  ...{ name: 'show', url: 'rtmp://live.example.com/app', has_stream_key: true },
  created_at: project.created_at,
};
const volume = {
  ...{ name: 'data', engine: 'docker', bytes: 52_428_800, used_by: 2 },
  created_at: project.created_at,
};
const publication = {
  ...{ port: 8000, computer_id: computer.id, computer: 'desktop', project: 'demo', public: false },
  ...{ url: 'http://8000-desktop-0.localhost:4700/', created_at: project.created_at },
  expires_at: null,
};
const webhook = {
  ...{ id: 'whk_1', url: 'https://app.example.com/hook', events: ['computer.*', 'action'] },
  ...{ status: 'active', pending: 2, created_at: project.created_at },
};
const delivery = {
  ...{ id: 'msg_1', type: 'test', at: project.created_at, status: 'failed', attempts: 1 },
  ...{ status_code: 500, error: 'The target answered 500.', next_attempt_at: null },
};
const secret = {
  ...{ name: 'PASSWORD', created_at: project.created_at, updated_at: project.created_at },
};
const job = {
  ...{ id: 'job_1', command: 'make', pid: 7, status: 'exited', exit_code: 0, output_bytes: 3 },
  ...{ started_at: computer.created_at, ended_at: computer.created_at, truncated: false },
};
const trajectory = {
  ...{ id: 'trj_1', status: 'recording', started_at: computer.created_at, ended_at: null },
  ...{ started_by: 'agent', end_reason: null, steps: 2, pictures: 3, bytes: 2048 },
};
const element = {
  ...{ id: '2c6e3adb-1.8-72', role: 'button', name: 'Re\u202eload', value: 'one\ntwo' },
  ...{ states: ['focusable'], box: [1, 2, 3, 4], actions: ['click'] },
};
const snapshot = {
  ...{ name: 'clean', parent: null, created_at: computer.created_at, bytes: 52_428_800 },
  ...{ memory: false, current: true },
};
const stats = {
  ...{ at: computer.created_at, cpu_percent: 50, cpu_seconds: 3, cpu: 2 },
  ...{ memory_used_bytes: 2 ** 30, memory_total_bytes: 2 ** 31 },
  ...{ disk_used_bytes: 5, disk_total_bytes: 9 },
};
const statusEvent = {
  ...{ type: 'computer.status', at: computer.created_at, id: computer.id, name: 'desktop' },
  ...{ project: 'demo', status: 'running', previous: 'starting', reason: null },
};
const me = {
  ...{ user_id: 'usr_1', name: 'owner', role: 'member', key: { id: 'key_1', name: 'ci' } },
  ...{ running: 1, max_running: 2 },
};
const owner = {
  ...{ id: 'usr_2', name: 'alice', role: 'member', status: 'active', max_running: null },
  ...{ max_storage: null, storage_bytes: 0 },
  ...{ running: 1, project_count: 2, computer_count: 3, created_by: 'key_1' },
  created_at: project.created_at,
};
const member = {
  ...{ name: 'node1', engine: 'incus', status: 'online', detail: 'Fully operational' },
  ...{ address: '10.0.0.1:8443', architecture: 'x86_64', groups: ['default'], cpu: 16 },
  ...{ memory_used_bytes: 8 * 2 ** 30, memory_total_bytes: 64 * 2 ** 30 },
  ...{ disk_used_bytes: 100 * 2 ** 30, disk_total_bytes: 1024 * 2 ** 30, computer_count: 3 },
  drain: null,
};
const drain = { since: '2026-01-02T03:04:05.678Z', moving: null, failed: [] };
const unmeasured = {
  ...{ status: 'offline', detail: 'No heartbeat', cpu: null },
  ...{ memory_used_bytes: null, memory_total_bytes: null },
  ...{ disk_used_bytes: null, disk_total_bytes: null },
};
/** An environment without engines and programs. */
const bare = { DOCKER_HOST: 'unix:///nonexistent/docker.sock', PATH: '/nonexistent' };

/** An action without output. */
const action = (verb: string, words: readonly string[], body: unknown): Case => ({
  argv: ['computer', verb, name, ...words],
  answers: { [`POST ${at}/${verb}`]: success },
  asks: [[`POST ${at}/${verb}`, body]],
  stdout: '',
});

/** A command that changes the status of a computer. */
const lifecycle = (verb: string, status: string, did: string): Case => ({
  argv: ['computer', verb, name],
  answers: {
    [`GET ${at}`]: { ...computer, status: 'error' },
    [`POST ${at}/${verb}`]: { ...computer, status },
  },
  // start and stop look whether there is something to do.
  asks: [...(verb === 'restart' ? [] : [`GET ${at}`]), `POST ${at}/${verb}`],
  stdout: '',
  stderr: `${did} demo/desktop\n`,
});

const wholeProject = (verb: string, did: string): Case => ({
  argv: ['project', verb, 'demo'],
  answers: {
    [`POST /projects/demo/${verb}`]: {
      ...success,
      computers: [{ id: computer.id, name: 'desktop', status: 'running', changed: true }],
    },
  },
  asks: [`POST /projects/demo/${verb}`],
  stdout: '',
  stderr: `${did} demo/desktop${did === 'stopped' ? ' (running)' : ''}\n`,
});

const withoutService = (verb: string): Case => ({
  argv: ['service', verb],
  asks: [],
  code: 7,
  stdout: '',
  stderr: /no service has been started/,
});

const health = { status: 'ok', version: '1.0.0', engines: [], store: { usable: true, detail: '' } };
const image = {
  ...{ name: 'linux', engine: 'docker', os: 'linux', kind: 'image', status: 'ready', bytes: 3e6 },
  ...{ created_at: project.created_at, recipe_hash: 'abc', key: null, cpu: null, ram: null },
  resolution: null,
};

const cases: Readonly<Record<string, Case>> = {
  'project create': {
    argv: ['project', 'create', 'demo'],
    answers: { 'POST /projects': project },
    asks: [['POST /projects', { name: 'demo' }]],
    stdout: '',
    stderr: 'created project demo\n',
  },
  'project ls': {
    argv: ['project', 'ls'],
    answers: { 'GET /projects': { projects: [project] } },
    asks: ['GET /projects'],
    stdout: `NAME\tCOMPUTERS\tCREATED\tID\tDEFAULT\ndemo\t1\t${project.created_at}\t${project.id}\t\n`,
  },
  'project get': {
    argv: ['project', 'get', 'demo'],
    answers: { 'GET /projects/demo': { ...project, computers: [computer] } },
    asks: ['GET /projects/demo'],
    stdout: /demo\/desktop\trunning/,
  },
  'project rename': {
    argv: ['project', 'rename', 'demo', 'shop'],
    answers: { 'PATCH /projects/demo': { ...project, name: 'shop' } },
    asks: [['PATCH /projects/demo', { name: 'shop' }]],
    stdout: '',
    stderr: 'renamed project demo to shop\n',
  },
  'project use': {
    argv: ['project', 'use', 'demo'],
    answers: { 'GET /projects/demo': { ...project, computers: [] } },
    asks: ['GET /projects/demo'],
    code: 1,
    stdout: '',
    stderr: /^error: there is no profile for http:.*\n {7}log in: vc login/,
  },
  'project start': wholeProject('start', 'started'),
  'project stop': wholeProject('stop', 'stopped'),
  'project restart': wholeProject('restart', 'restarted'),
  'project rm': {
    argv: ['project', 'rm', 'demo', '--yes'],
    answers: { 'DELETE /projects/demo': success },
    asks: ['DELETE /projects/demo'],
    stdout: '',
    stderr: 'removed project demo\n',
  },
  'computer create': {
    argv: ['computer', 'create', name, '--cpu', '4', '--volume', 'data:/data:ro'],
    answers: { 'POST /projects/demo/computers': computer },
    asks: [
      [
        'POST /projects/demo/computers',
        { name: 'desktop', cpu: 4, protected: false, volumes: ['data:/data:ro'] },
      ],
    ],
    stdout: '',
    stderr: new RegExp(`^created demo/desktop \\(${computer.id}\\), running\n`),
  },
  'computer ls': {
    argv: ['computer', 'ls', '-p', 'demo'],
    answers: { 'GET /projects/demo/computers': { computers: [computer] } },
    asks: ['GET /projects/demo/computers'],
    stdout: new RegExp(`^NAME\t.*\ndemo/desktop\trunning\t.*\t${computer.id}\n$`),
  },
  'computer get': {
    argv: ['computer', 'get', name],
    answers: { [`GET ${at}`]: computer },
    asks: [`GET ${at}`],
    stdout: /^name\tdemo\/desktop\n(.+\n)*status\trunning\n(.+\n)*variables\tAPI_URL, TOKEN\n/,
  },
  'computer start': lifecycle('start', 'running', 'started'),
  'computer stop': lifecycle('stop', 'stopped', 'stopped'),
  'computer restart': lifecycle('restart', 'running', 'restarted'),
  'computer rm': {
    argv: ['computer', 'rm', name, '--yes'],
    answers: { [`DELETE ${at}`]: success },
    asks: [`DELETE ${at}`],
    stdout: '',
    stderr: 'removed demo/desktop\n',
  },
  'computer stats': {
    argv: ['computer', 'stats', name],
    answers: { [`GET ${at}`]: computer, [`GET /computers/${computer.id}/stats`]: stats },
    asks: [`GET ${at}`, `GET /computers/${computer.id}/stats`],
    stdout: /^NAME\t.*\ndemo\/desktop\t50\.0%\t1 GiB of 2 GiB\t5 B of 9 B\t2\t3\.0 s\n$/,
  },
  'computer network': {
    argv: ['computer', 'network', name],
    answers: {
      [`GET ${at}/network`]: {
        network: { allow: ['example.com'] },
        refused: [{ name: 'example.net', at: computer.created_at, count: 3 }],
      },
    },
    asks: [`GET ${at}/network`],
    stdout: 'REFUSED NAME\tCOUNT\tLAST\nexample.net\t3\t2025-01-02T03:01:05.000Z\n',
    stderr:
      /^network: allow=example\.com\nto allow more, set the whole list: vc computer update demo\/desktop --network allow=NAME,\.\.\.\n$/,
  },
  'computer history': {
    argv: ['computer', 'history', name],
    answers: {
      [`GET ${at}/actions`]: {
        actions: [
          { id: 'a', at: computer.created_at, action: 'click', detail: { x: 1, y: 2 } },
        ].map((entry) => ({ ...entry, key_id: 'key_1', outcome: 'ok', ms: 3 })),
      },
    },
    asks: [`GET ${at}/actions`],
    stdout: /^WHEN\t.*\n2025-01-02T03:01:05\.000Z\tclick\t.*\tok\t3 ms\tkey_1\n$/,
  },
  audit: {
    argv: ['audit', '--limit', '1', '--since', '2025-01-02T00:00:00Z', '--outcome', 'forbidden'],
    answers: {
      'GET /audit': {
        entries: [
          { id: 'a', at: computer.created_at, action: 'createKey', detail: { name: 'ci' } },
        ].map((entry) => ({
          ...{ ...entry, key_id: 'key_1', key_name: 'laptop' },
          ...{ outcome: 'ok', ms: 3, computer_id: null },
        })),
      },
    },
    asks: ['GET /audit?limit=1&outcome=forbidden&since=2025-01-02T00%3A00%3A00.000Z'],
    stdout: /^WHEN\t.*\n2025-01-02T03:01:05\.000Z\tkey create\t\tname=ci\tok\t3 ms\tlaptop\n$/,
  },
  'computer update': {
    argv: ['computer', 'update', name, '--protect', '--cpu', '4', '--resolution', '1920x1080'],
    answers: { [`PATCH ${at}`]: { ...computer, pending: ['cpu', 'resolution'] } },
    asks: [[`PATCH ${at}`, { protected: true, cpu: 4, resolution: { width: 1920, height: 1080 } }]],
    stdout: 'cpu and resolution change at the next start: vc restart demo/desktop\n',
    stderr: 'updated demo/desktop\n',
  },
  'computer control': {
    argv: ['computer', 'control', name, 'take'],
    answers: {
      [`POST ${at}/control`]: {
        control: {
          holder: { key_id: 'key_1', key_name: 'ci', session: false },
          since: computer.created_at,
          expires_at: computer.created_at,
        },
        is_mine: true,
      },
    },
    asks: [[`POST ${at}/control`, {}]],
    stdout: /^you have control of demo\/desktop since 20/,
  },
  'computer reset': {
    argv: ['computer', 'reset', name, 'clean'],
    answers: { [`POST ${at}/reset`]: computer },
    asks: [[`POST ${at}/reset`, { snapshot: 'clean' }]],
    stdout: '',
    stderr: 'reset demo/desktop to the snapshot clean, running\n',
  },
  'publication create': {
    argv: ['publication', 'create', name, '8000', '--expires', '1h'],
    answers: {
      [`POST ${at}/publications`]: { ...publication, link: `${publication.url}?vc_ticket=vt_0` },
    },
    asks: [[`POST ${at}/publications`, { port: 8000, public: false, expires_in: 3600 }]],
    stdout: 'http://8000-desktop-0.localhost:4700/?vc_ticket=vt_0\n',
    stderr:
      "only for the service's host; for others: vc serve --preview-domain\nto end it: vc unpublish demo/desktop 8000\n",
  },
  'publication ls': {
    argv: ['publication', 'ls'],
    answers: { 'GET /publications': { publications: [publication] } },
    asks: ['GET /publications'],
    stdout:
      /^COMPUTER\tPORT\t.*\ndemo\/desktop\t8000\tlink\t\thttp:\/\/8000-desktop-0\.localhost:4700\/\n$/,
  },
  'publication rm': {
    argv: ['publication', 'rm', name, '8000'],
    answers: { [`DELETE ${at}/publications/8000`]: success },
    asks: [`DELETE ${at}/publications/8000`],
    stdout: '',
    stderr: 'ended the publication of demo/desktop port 8000\n',
  },
  'snapshot create': {
    argv: ['snapshot', 'create', name, 'clean', '--no-memory'],
    answers: { [`POST ${at}/snapshots`]: snapshot },
    asks: [[`POST ${at}/snapshots`, { name: 'clean', memory: false }]],
    stdout: '',
    stderr: 'saved demo/desktop as clean (disk, 52.4 MB)\n',
  },
  'snapshot ls': {
    argv: ['snapshot', 'ls', name],
    answers: { [`GET ${at}/snapshots`]: { snapshots: [snapshot] } },
    asks: [`GET ${at}/snapshots`],
    stdout: /^NAME\tPARENT\t.*\nclean\t\tyes\tno\t52\.4 MB\t/,
  },
  'snapshot rm': {
    argv: ['snapshot', 'rm', name, 'clean', '--yes'],
    answers: { [`DELETE ${at}/snapshots/clean`]: success },
    asks: [`DELETE ${at}/snapshots/clean`],
    stdout: '',
    stderr: 'removed the snapshot clean of demo/desktop\n',
  },
  'image save': {
    argv: ['image', 'save', name, 'box', '-q'],
    answers: { [`GET ${at}`]: computer, 'POST /images': { name: 'box', bytes: 5 } },
    asks: [`GET ${at}`, ['POST /images', { name: 'box', computer: computer.id }]],
    stdout: 'box\n',
  },
  'computer fork': {
    argv: ['computer', 'fork', name, 'copy'],
    answers: { [`POST ${at}/fork`]: { ...computer, name: 'copy' } },
    asks: [[`POST ${at}/fork`, { name: 'copy' }]],
    stdout: '',
    stderr: /demo\/copy/,
  },
  'computer screenshot': {
    argv: ['computer', 'screenshot', name, '--json'],
    answers: { [`GET ${at}/screenshot`]: { ...success, image: 'aGk=', format: 'png' } },
    asks: [`GET ${at}/screenshot?format=png`],
    stdout: '{"success":true,"image":"aGk=","format":"png"}\n',
  },
  'computer click': action('click', ['0', '7', '--double'], { x: 0, y: 7, double: true }),
  'computer elements': {
    argv: ['computer', 'elements', name, '--limit', '7'],
    answers: { [`GET ${at}/elements`]: { elements: [element], truncated: true } },
    asks: [`GET ${at}/elements?limit=7`],
    stdout:
      'ID\tROLE\tNAME\tVALUE\tSTATES\tBOX\n2c6e3adb-1.8-72\tbutton\tRe\ufffdload\tone\tfocusable\t1,2,3,4\n',
    stderr: 'there are more elements; see --limit\n',
  },
  'computer find': {
    argv: ['computer', 'find', name, 'sign in', '--role', 'button'],
    answers: { [`POST ${at}/find`]: { elements: [], truncated: false } },
    asks: [[`POST ${at}/find`, { text: 'sign in', role: 'button' }]],
    stdout: '',
    stderr: 'no such element or text on the screen\n',
  },
  'computer move': action('move', ['10', '20'], { x: 10, y: 20 }),
  'computer drag': action('drag', ['1', '2', '3', '4'], {
    ...{ start_x: 1, start_y: 2, end_x: 3, end_y: 4 },
  }),
  'computer scroll': action('scroll', ['down', '5'], { direction: 'down', amount: 5 }),
  'computer mouse-down': action('mouse-down', ['1', '2', '-b', 'back'], {
    ...{ x: 1, y: 2, button: 'back' },
  }),
  'computer mouse-up': action('mouse-up', ['--hold', 'ctrl'], { keys: ['ctrl'] }),
  'computer cursor': {
    argv: ['computer', 'cursor', name],
    answers: { [`GET ${at}/cursor`]: { ...success, x: 5, y: 6 } },
    stdout: '5 6\n',
  },
  'computer key-down': action('key-down', ['shift'], { key: 'shift' }),
  'computer key-up': action('key-up', ['shift'], { key: 'shift' }),
  'computer type': action('type', ['Grüße 👍'], { text: 'Grüße 👍' }),
  'computer key': action('key', ['ctrl+s'], { key: 'ctrl+s' }),
  'computer wait': action('wait', ['2'], { duration: 2 }),
  'computer use': {
    argv: ['computer', 'use', name, '-', '--acknowledge', 'sc_1'],
    stdin: '{"type":"computer_call","call_id":"c","actions":[]}',
    answers: { [`POST ${at}/computer-use`]: { ...success, results: [], frames: [], confirm: [] } },
    asks: [
      [
        `POST ${at}/computer-use`,
        {
          items: [{ type: 'computer_call', call_id: 'c', actions: [] }],
          acknowledge: ['sc_1'],
        },
      ],
    ],
    stdout: /"results": ?\[\]/,
  },
  'computer run': {
    argv: ['computer', 'run', name, '-'],
    stdin: '{"action":"click","x":1,"y":2}\n',
    answers: { [`POST ${at}/batch`]: { ...success, results: [success] } },
    asks: [[`POST ${at}/batch`, { actions: [{ action: 'click', x: 1, y: 2 }] }]],
    stdout: /.*/,
  },
  'computer view': {
    argv: ['computer', 'view', name, '--print'],
    answers: {
      [`POST ${at}/view`]: {
        url: 'http://inside.example.com/api/view/cmp_1#vt_2',
        expires_at: project.created_at,
      },
    },
    asks: [[`POST ${at}/view`, { mode: 'control' }]],
    stdout: /^http:\/\/127\.0\.0\.1:\d+\/api\/view\/cmp_1#vt_2\n$/,
    stderr: 'the link works once, within a minute\n',
  },
  'computer open': {
    argv: ['computer', 'open', name, 'https://example.com'],
    asks: [`GET ${at}/process`],
    code: 1,
    stdout: '',
    stderr: /^error: the browser of demo\/desktop did not start: err\n/,
  },
  mcp: {
    argv: ['mcp', '--config', 'cursor', '--toolset', 'screen'],
    asks: [],
    stdout: /"args": \[\n\s+"mcp",\n\s+"--toolset",\n\s+"screen"/,
    stderr: '~/.cursor/mcp.json\n',
  },
  'computer cdp': {
    argv: ['computer', 'cdp', name, 'example.com', '--temporary', '--arg=--lang=de'],
    answers: {
      [`POST ${at}/browser`]: {
        ws_url: 'ws://inside.example.com/api/computers/cmp_1/cdp?ticket=vt_2',
        ...{ expires_at: project.created_at, started: true },
      },
    },
    asks: [
      [
        `POST ${at}/browser`,
        { url: 'https://example.com/', args: ['--lang=de'], profile: 'temporary' },
      ],
    ],
    stdout: /^ws:\/\/127\.0\.0\.1:\d+\/api\/computers\/cmp_1\/cdp\?ticket=vt_2\n$/,
    stderr: /connectOverCDP/,
  },
  'computer clipboard': {
    argv: ['computer', 'clipboard', name],
    answers: { [`GET ${at}/clipboard`]: { text: 'copied' } },
    asks: [`GET ${at}/clipboard`],
    stdout: 'copied',
  },
  'computer exec': {
    argv: ['computer', 'exec', name, '--', 'true'],
    asks: [`GET ${at}/process`],
    code: 7,
    stdout: 'out',
    stderr: 'err',
  },
  'computer bash': {
    argv: ['computer', 'bash', name, 'false'],
    asks: [`GET ${at}/process`],
    code: 7,
    stdout: 'out',
    stderr: 'err',
  },
  'computer python': {
    argv: ['computer', 'python', name, '-c', 'print(1)'],
    asks: [`GET ${at}/process`],
    code: 7,
    stdout: 'out',
    stderr: 'err',
  },
  'computer shell': {
    argv: ['computer', 'shell', name],
    terminal: true,
    asks: [`GET ${at}/process`],
    code: 7,
    stdout: /out/,
    stderr: 'err',
  },
  'computer ssh': {
    argv: ['computer', 'ssh', '-v', name, 'uptime'],
    answers: { [`GET ${at}`]: { ...computer, status: 'stopped' } },
    asks: [`GET ${at}`],
    code: 125,
    stdout: '',
    stderr: /demo\/desktop is stopped\n.*vc start demo\/desktop/,
  },
  'ssh-config': {
    argv: ['ssh-config', '--print'],
    asks: [],
    stdout: /^Match originalhost "\*\.vc,/m,
  },
  'computer cp': {
    argv: ['computer', 'cp', `${name}:none`, '.'],
    asks: [`GET ${at}/entry?path=none`],
    code: 5,
    stdout: '',
    stderr: /There is no GET/,
  },
  'computer sync': {
    argv: ['computer', 'sync', `${name}:none`, '.'],
    asks: [],
    code: 1,
    stdout: '',
    stderr: /there is no program rsync on this machine/,
  },
  events: {
    argv: ['events', '--type', 'computer.status', '--computer', 'desktop'],
    asks: ['GET /events?computer=desktop&types=computer.status'],
    stdout: `${computer.created_at}\tcomputer.status\tdemo/desktop\tstarting -> running\n`,
    stderr: 'watching; end with Ctrl-C\n',
    endedBy: 'Ctrl-C',
  },
  'computer forward': {
    argv: ['computer', 'forward', name, '0:80'],
    answers: { [`GET ${at}`]: computer },
    asks: [`GET ${at}`],
    stdout: /^127\.0\.0\.1:\d+ -> demo\/desktop port 80\n$/,
    endedBy: 'Ctrl-C',
  },
  'computer vnc': {
    argv: ['computer', 'vnc', name, '--view-only'],
    asks: [[`POST ${at}/view`, { mode: 'view' }]],
    stdout:
      /^127\.0\.0\.1:(\d+) -> demo\/desktop\npassword: \S{8}\nTigerVNC: xtigervncviewer 127\.0\.0\.1::\1\n$/,
    endedBy: 'Ctrl-C',
  },
  'computer stream': {
    argv: ['computer', 'stream', 'start', name, '--connection', 'show', '--audio'],
    answers: { [`POST ${at}/stream/start`]: stream },
    asks: [[`POST ${at}/stream/start`, { connection_name: 'show', audio: true }]],
    stdout: '',
    stderr: /^streaming demo\/desktop\n/,
  },
  'computer record': {
    argv: ['computer', 'record', name, '-o', 'clip.mp4', '--audio'],
    asks: [`GET ${at}/record?audio=true`],
    code: 5,
    stdout: '',
    stderr: /There is no GET/,
  },
  'computer trajectory': {
    argv: ['computer', 'trajectory', name],
    answers: { [`GET ${at}/trajectory`]: trajectory },
    asks: [`GET ${at}/trajectory`],
    stdout: /^status\trecording\n(.*\n)*steps\t2\n/,
  },
  'computer record-run': {
    argv: ['computer', 'record-run', name, 'login', '--', 'true'],
    asks: [[`POST ${at}/trajectory`, {}]],
    code: 125,
    stdout: '',
    stderr: /There is no POST/,
  },
  'computer replay': {
    argv: ['computer', 'replay', name, 'login'],
    asks: [],
    code: 2,
    stdout: '',
    stderr: /login is not a trajectory: it has no file trajectory\.jsonl/,
  },
  'job ls': {
    argv: ['job', 'ls', name],
    answers: { [`GET ${at}/jobs`]: { jobs: [job] } },
    asks: [`GET ${at}/jobs`],
    stdout: `ID\tSTATUS\tSTARTED\tOUTPUT\tCOMMAND\njob_1\texited 0\t${job.started_at}\t3\tmake\n`,
  },
  'job get': {
    argv: ['job', 'get', name, 'job_1'],
    answers: { [`GET ${at}/jobs/job_1`]: { ...job, output: '', next_offset: 0 } },
    asks: [`GET ${at}/jobs/job_1?limit=16`],
    stdout: /^id\tjob_1\nstatus\texited 0\ncommand\tmake\n/,
  },
  'job logs': {
    argv: ['job', 'logs', name, 'job_1'],
    answers: { [`GET ${at}/jobs/job_1`]: { ...job, output: 'hi\n', next_offset: 3 } },
    asks: [`GET ${at}/jobs/job_1?offset=0&limit=1048576`],
    stdout: 'hi\n',
  },
  'job end': {
    argv: ['job', 'end', name, 'job_1'],
    answers: { [`POST ${at}/jobs/job_1/end`]: job },
    asks: [`POST ${at}/jobs/job_1/end`],
    stdout: '',
    stderr: /job_1/,
  },
  'key create': {
    argv: [
      ...['key', 'create', 'ci', '--rights', 'look', '-p', 'shop'],
      ...['--expires', '2027-01-31T00:00:00Z', '--max-hours', '10', '--max-actions', 'none'],
    ],
    answers: { 'POST /keys': { ...key, key: 'vc_new' } },
    asks: [
      [
        'POST /keys',
        {
          ...{ name: 'ci', rights: 'look', project: 'shop', max_hours: 10, max_actions: null },
          expires_at: '2027-01-31T00:00:00.000Z',
        },
      ],
    ],
    stdout: 'vc_new\n',
    stderr: /cannot be shown again/,
  },
  'key ls': {
    argv: ['key', 'ls'],
    answers: { 'GET /keys': { keys: [key] } },
    asks: ['GET /keys'],
    stdout: /^NAME\tID\t.*\nci\tkey_1\tvc_0123\tmanage\tall\tnever\t/,
  },
  'key get': {
    argv: ['key', 'get', 'ci'],
    answers: { 'GET /keys': { keys: [key] } },
    asks: ['GET /keys'],
    stdout: /^name\tci\n(.+\n)*computers\t3\nhours\t2\.5 of 10\nactions\t840\n$/,
  },
  'key update': {
    argv: ['key', 'update', 'ci', '--rights', 'look', '--expires', 'never', '--max-hours', '20'],
    answers: { 'GET /keys': { keys: [key] }, 'PATCH /keys/key_1': { ...key, rights: 'look' } },
    asks: ['GET /keys', ['PATCH /keys/key_1', { rights: 'look', expires_at: null, max_hours: 20 }]],
    stdout: '',
    stderr: 'updated key ci: look in all projects, never expires, at most 10 hours\n',
  },
  'key rm': {
    argv: ['key', 'rm', 'ci', '--yes'],
    answers: {
      'GET /keys': { keys: [key] },
      'GET /me': me,
      'DELETE /keys/key_1': { ...success, made: [] },
    },
    asks: ['GET /keys', 'GET /me', 'DELETE /keys/key_1'],
    stdout: '',
    stderr: /removed/,
  },
  'owner create': {
    argv: ['owner', 'create', 'alice', '--max-running', '5'],
    answers: { 'POST /owners': { ...owner, key: { ...key, key: 'vc_new' } } },
    asks: [['POST /owners', { name: 'alice', max_running: 5 }]],
    stdout: 'vc_new\n',
    stderr:
      /^created owner alice; its key cannot be shown again\nto use it: vc login --profile alice http/,
  },
  'cluster ls': {
    argv: ['cluster', 'ls'],
    answers: { 'GET /cluster/members': { members: [member, { ...member, ...unmeasured }] } },
    asks: ['GET /cluster/members'],
    stdout:
      /^NAME\tSTATUS\t.*\nnode1\tonline\t10.0.0.1:8443\t16\t8.0 \/ 64.0 GiB\t100.0 \/ 1024.0 GiB\t3\tdefault\nnode1\toffline\t10.0.0.1:8443\t\t\t\t3\tdefault\n$/,
  },
  'cluster get': {
    argv: ['cluster', 'get', 'node1'],
    answers: { 'GET /cluster/members/node1': member },
    asks: ['GET /cluster/members/node1'],
    stdout:
      /^name\tnode1\nstatus\tonline: Fully operational\n(.+\n)*memory\t8.0 \/ 64.0 GiB\n(.+\n)*computers\t3\n/,
  },
  'cluster drain': {
    argv: ['cluster', 'drain', 'node1', '--detach'],
    answers: { 'POST /cluster/members/node1/drain': { ...member, drain } },
    asks: ['POST /cluster/members/node1/drain'],
    stdout: '',
    stderr: 'moving 3 computers from node1; see: vc cluster get node1\n',
  },
  'cluster return': {
    argv: ['cluster', 'return', 'node1'],
    answers: { 'POST /cluster/members/node1/return': member },
    asks: ['POST /cluster/members/node1/return'],
    stdout: '',
    stderr: 'node1 may have computers again\n',
  },
  'owner ls': {
    argv: ['owner', 'ls'],
    answers: { 'GET /owners': { owners: [owner] } },
    asks: ['GET /owners'],
    stdout: /^NAME\tROLE\t.*\nalice\tmember\tactive\t1\tdefault\t0 B\t2\t3\t.*\tusr_2\n$/,
  },
  'owner get': {
    argv: ['owner', 'get', 'alice'],
    answers: { 'GET /owners/alice': { ...owner, max_running: 5 } },
    asks: ['GET /owners/alice'],
    stdout: /^name\talice\nid\tusr_2\nrole\tmember\n(.+\n)*max running\t5\n/,
  },
  'owner set': {
    argv: ['owner', 'set', 'alice', '--max-running', 'default'],
    answers: { 'PATCH /owners/alice': owner },
    asks: [['PATCH /owners/alice', { max_running: null }]],
    stdout: '',
    stderr: "running computers of alice: the service's limit\n",
  },
  'owner key': {
    argv: ['owner', 'key', 'alice'],
    answers: { 'POST /owners/alice/keys': { ...key, key: 'vc_new' } },
    asks: [['POST /owners/alice/keys', { name: 'replacement' }]],
    stdout: 'vc_new\n',
    stderr: 'created key key_1 of alice; it cannot be shown again\n',
  },
  'owner rm': {
    argv: ['owner', 'rm', 'alice', '--force', '--yes'],
    answers: { 'DELETE /owners/alice': success },
    asks: ['DELETE /owners/alice?force=1'],
    stdout: '',
    stderr: 'removed owner alice\n',
  },
  'secret set': {
    argv: ['secret', 'set', 'PASSWORD', '-p', 'demo'],
    stdin: 's3cret\n',
    answers: { 'PUT /projects/demo/secrets/PASSWORD': secret },
    asks: [['PUT /projects/demo/secrets/PASSWORD', { value: 's3cret' }]],
    stdout: '',
    stderr: 'set secret PASSWORD of project demo\n',
  },
  'secret ls': {
    argv: ['secret', 'ls', '-p', 'demo'],
    answers: { 'GET /projects/demo/secrets': { secrets: [secret] } },
    asks: ['GET /projects/demo/secrets'],
    stdout: /\nPASSWORD\t/,
  },
  'secret rm': {
    argv: ['secret', 'rm', 'PASSWORD', '-p', 'demo', '--yes'],
    answers: { 'DELETE /projects/demo/secrets/PASSWORD': success },
    asks: ['DELETE /projects/demo/secrets/PASSWORD'],
    stdout: '',
    stderr: 'removed secret PASSWORD\n',
  },
  'webhook create': {
    argv: ['webhook', 'create', webhook.url, '--event', 'computer.*', '--event', 'action'],
    answers: { 'POST /webhooks': { ...webhook, secret: 'whsec_AAAA' } },
    asks: [['POST /webhooks', { url: webhook.url, events: webhook.events }]],
    stdout: 'whsec_AAAA\n',
    stderr: /created webhook whk_1.*\n.*vc webhook test whk_1/,
  },
  'webhook ls': {
    argv: ['webhook', 'ls'],
    answers: { 'GET /webhooks': { webhooks: [webhook] } },
    asks: ['GET /webhooks'],
    stdout: /\nwhk_1\thttps:\/\/app\.example\.com\/hook\tcomputer\.\*,action\tactive\t2\t/,
  },
  'webhook get': {
    argv: ['webhook', 'get', 'whk_1'],
    answers: { 'GET /webhooks/whk_1': webhook },
    asks: ['GET /webhooks/whk_1'],
    stdout: /^id\twhk_1\n(.+\n)*events\tcomputer\.\*, action\n/,
  },
  'webhook test': {
    argv: ['webhook', 'test', 'whk_1'],
    answers: { 'POST /webhooks/whk_1/test': delivery },
    asks: ['POST /webhooks/whk_1/test'],
    code: 1,
    stdout: '',
    stderr: /the test of webhook whk_1 failed: The target answered 500/,
  },
  'webhook deliveries': {
    argv: ['webhook', 'deliveries', 'whk_1'],
    answers: { 'GET /webhooks/whk_1/deliveries': { deliveries: [delivery] } },
    asks: ['GET /webhooks/whk_1/deliveries'],
    stdout: /\ttest\tfailed\t500\t1\t\tThe target answered 500\.\n$/,
  },
  'webhook rm': {
    argv: ['webhook', 'rm', 'whk_1', '--yes'],
    answers: { 'DELETE /webhooks/whk_1': success },
    asks: ['DELETE /webhooks/whk_1'],
    stdout: '',
    stderr: 'removed webhook whk_1\n',
  },
  'connection add': {
    argv: ['connection', 'add', 'show', connection.url, '--key-stdin'],
    stdin: 'secret\n',
    answers: { 'POST /connections': connection },
    asks: [['POST /connections', { name: 'show', url: connection.url, stream_key: 'secret' }]],
    stdout: '',
    stderr: /^(?!.*secret).*show/,
  },
  'connection ls': {
    argv: ['connection', 'ls'],
    answers: { 'GET /connections': { connections: [connection] } },
    asks: ['GET /connections'],
    stdout: /\nshow\trtmp:\/\/live\.example\.com\/app\tkept\t/,
  },
  'connection rm': {
    argv: ['connection', 'rm', 'show', '--yes'],
    answers: { 'DELETE /connections/show': success },
    asks: ['DELETE /connections/show'],
    stdout: '',
    stderr: 'removed connection show\n',
  },
  'volume create': {
    argv: ['volume', 'create', 'data', '--engine', 'docker'],
    answers: { 'POST /volumes': volume },
    asks: [['POST /volumes', { name: 'data', engine: 'docker' }]],
    stdout: '',
    stderr: /^created volume data on docker\n.*--volume data:\/PATH/,
  },
  'volume ls': {
    argv: ['volume', 'ls'],
    answers: { 'GET /volumes': { volumes: [volume] } },
    asks: ['GET /volumes'],
    stdout: /\ndata\tdocker\t52\.4 MB\t2\t/,
  },
  'volume rm': {
    argv: ['volume', 'rm', 'data', '--yes'],
    answers: { 'DELETE /volumes/data': success },
    asks: ['DELETE /volumes/data'],
    stdout: '',
    stderr: 'removed volume data\n',
  },
  'profile add': {
    argv: ['profile', 'add', 'office', '--base-url', 'https://vc.example.com/api'],
    stdin: 'vc_key\n',
    asks: [],
    stdout: '',
    stderr: /office/,
  },
  'profile use': {
    argv: ['profile', 'use', 'none'],
    asks: [],
    code: 5,
    stdout: '',
    stderr: /there is no profile "none"/,
  },
  'profile ls': {
    argv: ['profile', 'ls', '--json'],
    asks: [],
    stdout: /^\{.*"profiles":\[\].*\}\n$/,
  },
  'profile get': {
    argv: ['profile', 'get'],
    asks: [],
    stdout: /\(environment: VC_BASE_URL\)/,
  },
  'profile rm': {
    argv: ['profile', 'rm', 'none', '--yes'],
    asks: [],
    code: 5,
    stdout: '',
    stderr: /there is no profile "none"/,
  },
  'alias set': {
    argv: ['alias', 'set', 'look', 'vc screenshot desk'],
    asks: [],
    stdout: '',
    stderr: 'added the alias look: vc screenshot desk\n',
  },
  'alias ls': {
    argv: ['alias', 'ls'],
    asks: [],
    stdout: '',
    stderr: "no aliases yet; to add one: vc alias set NAME 'COMMAND'\n",
  },
  'alias rm': {
    argv: ['alias', 'rm', 'none'],
    asks: [],
    code: 5,
    stdout: '',
    stderr: /there is no alias "none"\n.*vc alias ls/,
  },
  'image build': {
    argv: ['image', 'build', 'none'],
    env: bare,
    asks: [],
    code: 2,
    stdout: '',
    stderr: /none/,
  },
  'image import': {
    argv: ['image', 'import', 'lab', 'none.img', '--no-shell'],
    env: bare,
    asks: [],
    code: 1,
    stdout: '',
    stderr: /^error: /,
  },
  'image warm': {
    argv: ['image', 'warm', 'linux'],
    env: bare,
    asks: [],
    code: 5,
    stdout: '',
    stderr: /QEMU has no image "linux"/,
  },
  'image ls': {
    argv: ['image', 'ls'],
    answers: { 'GET /health': health, 'GET /images': { images: [image], failures: [] } },
    asks: ['GET /images'],
    stdout: /^NAME\t.*\nlinux\tdocker\tlinux\timage\t3.0 MB\t.*\tready\n$/,
  },
  'image log': {
    argv: ['image', 'log', 'mybox'],
    // The fake service answers JSON.
    answers: { 'GET /images/mybox/log': '#1 DONE 0.1s' },
    asks: ['GET /images/mybox/log'],
    stdout: '"#1 DONE 0.1s"',
  },
  'image rm': {
    argv: ['image', 'rm', 'none', '--yes'],
    env: bare,
    asks: ['GET /images'],
    code: 5,
    stdout: '',
    stderr: /there is no image "none"/,
  },
  'image prune': {
    argv: ['image', 'prune', '--yes'],
    answers: {
      'GET /usage': { now: { build_cache_bytes: 1_500_000 } },
      'DELETE /build-cache': { bytes: 1_500_000 },
    },
    asks: ['GET /usage?days=1', 'DELETE /build-cache'],
    stdout: '',
    stderr: 'freed 1.5 MB\n',
  },
  'service status': withoutService('status'),
  'service logs': withoutService('logs'),
  'service stop': withoutService('stop'),
  'service restart': withoutService('restart'),
  backup: {
    argv: ['backup', 'vc.backup'],
    asks: [],
    code: 5,
    stdout: '',
    stderr: /^error: /,
  },
  restore: {
    argv: ['restore', 'none.backup'],
    asks: [],
    code: 2,
    stdout: '',
    stderr: /^error: /,
  },
  api: {
    argv: ['api', 'POST', `/computers/{${name}}/click`, '-F', 'x=1', '-F', 'y=2'],
    answers: { [`GET ${at}`]: computer, [`POST /computers/${computer.id}/click`]: success },
    asks: [`GET ${at}`, [`POST /computers/${computer.id}/click`, { x: 1, y: 2 }]],
    stdout: '{"success":true}\n',
  },
  try: {
    argv: ['try', name],
    answers: { [`GET ${at}`]: computer, [`POST ${at}/view`]: { url: 'x', expires_at: 'x' } },
    asks: [`GET ${at}`, [`POST ${at}/view`, { mode: 'control' }], `GET ${at}/process`],
    code: 7,
    stdout: '',
    stderr: /to remove the computer: vc rm demo\/desktop\n$/,
  },
  demo: {
    argv: ['demo'],
    answers: {},
    asks: ['GET /me'],
    code: 5,
    stdout: '',
    stderr: /There is no GET \/api\/me/,
  },
  login: {
    argv: ['login'],
    stdin: 'vc_key\n',
    answers: { 'GET /me': me },
    asks: ['GET /health', 'GET /me'],
    stdout: '',
    stderr: /^logged in to .* as owner \(usr_1\), profile default\n$/,
  },
  dashboard: {
    argv: ['dashboard'],
    answers: { 'POST /logins': { token: 'vl_1', url: 'http://x/#login=vl_1', expires_at: null } },
    asks: ['POST /logins'],
    stdout: /^http:\/\/127\.0\.0\.1:\d+\/#login=vl_1\n$/,
    stderr: /works once/,
  },
  usage: {
    argv: ['usage', '--days', '7'],
    answers: {
      'GET /usage': {
        days: [
          {
            ...{ date: '2026-11-23', key: { id: 'key_1', name: 'ci' }, project: null },
            ...{ computers: 1, computer_seconds: 5400, actions: 7, bytes: 1_572_864 },
          },
        ],
        limits: { max_running: 2, max_storage: 50 },
        now: { running: 1, storage_bytes: 52_428_800, build_cache_bytes: 2_000_000 },
      },
    },
    asks: ['GET /usage?days=7'],
    stdout: /^DATE\t.*\n2026-11-23\t\tci\t1\t1\.50\t7\t1\.5\n$/,
    stderr: [
      '1 of 2 computers running, 52.4 MB of 50 GB stored, 2.0 MB of it by the cache of image builds',
      'to remove the cache: vc image prune\n',
    ].join('\n'),
  },
  up: {
    argv: ['up', '--json'],
    answers: {
      'GET /projects/demo': { ...project, computers: [] },
      'GET /me': me,
      'POST /projects/demo/computers': computer,
    },
    stdout: '[{"name":"desktop","answer":{"action":"create","changes":[],"done":true}}]\n',
  },
  run: {
    argv: ['run', '--computers', '2', '--out', 'results'],
    answers: { 'GET /projects': { projects: [] }, 'GET /me': me },
    asks: ['GET /me', 'GET /projects', 'GET /me'],
    code: 6,
    stdout: '',
    stderr: /^writing results to results\nerror: 1 computer of at most 2 would become 3\n/,
  },
  diff: {
    argv: ['diff'],
    answers: { 'GET /projects/demo': { ...project, computers: [] } },
    asks: ['GET /projects/demo'],
    code: 3,
    stdout: 'would create demo/desktop\n',
  },
  down: {
    argv: ['down', '--yes'],
    answers: {
      'GET /projects/demo': {
        ...project,
        computers: [
          { ...computer, labels: { 'vc.up': 'desktop' } },
          { ...computer, name: 'mine' },
        ],
      },
      [`DELETE /computers/${computer.id}`]: success,
    },
    asks: ['GET /projects/demo', `DELETE /computers/${computer.id}`],
    stdout: '',
    stderr: 'removed demo/desktop\n',
  },
  whoami: {
    argv: ['whoami', '-q'],
    answers: { 'GET /me': me },
    asks: ['GET /me'],
    stdout: 'usr_1\n',
  },
  serve: {
    argv: ['serve', '--listen', '0.0.0.0:4700'],
    asks: [],
    code: 2,
    stdout: '',
    stderr: /--expose/,
  },
  doctor: {
    argv: ['doctor', '--json'],
    env: bare,
    code: 1,
    stdout: /^\{"usable":false,.*"name":"node","title":"Node.js",.*"status":"ok"/,
  },
  setup: {
    argv: ['setup', '--dry-run', '--engine', 'qemu'],
    env: bare,
    asks: [],
    stdout: '',
    stderr: /qemu-system-x86 /,
  },
  completion: {
    argv: ['completion', 'fish'],
    asks: [],
    stdout: /^# Completion of vc for fish/,
  },
  help: {
    argv: ['help', 'exit-codes'],
    asks: [],
    stdout: /^ {2}0 .*success/m,
  },
};

let world: World;
beforeEach(async () => {
  world = await openWorld();
  writeFileSync(join(world.directory, 'computers.yaml'), 'name: demo\ncomputers: {desktop: {}}\n');
  writeFileSync(
    join(world.directory, 'tasks.yaml'),
    'name: office\ndefaults: {agent: ./agent, check: {file: x}}\ntasks: {one: {}, two: {}}\n',
  );
});
afterEach(() => world.close());

test('every command has a case here', async () => {
  const all = paths(await loadOutline(tree)).map(({ path }) =>
    path.map(([first]) => first).join(' '),
  );
  expect(Object.keys(cases).sort()).toEqual(all.sort());
});

/** The same cases with short forms: `ls` for `computer ls`. */
const shortCases = (await loadOutline(tree)).shortForms.flatMap(({ name, shortFor }) => {
  const given = cases[shortFor.join(' ')];
  return given === undefined
    ? []
    : [[name, { ...given, argv: [name, ...given.argv.slice(2)] }] as const];
});

test.each([...Object.entries(cases), ...shortCases])('vc %s', async (_, given) => {
  const { argv, answers = {}, asks, code = 0, stdout, stderr = '', endedBy, ...options } = given;
  for (const [route, answer] of Object.entries(answers)) world.service.on(route, answer);
  world.service.onProcess((_, socket) => {
    socket.send(Buffer.from('\u0001out'));
    socket.send(Buffer.from('\u0002err'));
    socket.send(JSON.stringify({ type: 'exit', code: 7, signal: null }));
  });
  const interrupts = new Interrupts();
  const env = { VC_STATE_DIR: world.directory, ...options.env };
  if (endedBy === 'Ctrl-C') {
    world.service.handle(`GET ${at}`, (_, response) => {
      response.end(JSON.stringify(computer));
      setTimeout(() => interrupts.trigger('SIGINT'), 200);
    });
    world.service.handle(`POST ${at}/view`, (_, response) => {
      response.end('{"url":"http://example.com/api/view/cmp_1#vt_1"}');
      setTimeout(() => interrupts.trigger('SIGINT'), 200);
    });
    world.service.handle('GET /events', (_, response) => {
      response.write(`id: 0-1\n\nid: 0-2\ndata: ${JSON.stringify(statusEvent)}\n\n`);
      setTimeout(() => interrupts.trigger('SIGINT'), 200);
    });
  }
  const outcome = await world.run(argv, { ...options, env, interrupts });
  const asked = world.service.received.map(({ method, url, body }) => {
    const line = `${method} ${url.replace(/^\/api/, '')}`;
    return body === undefined ? line : [line, body];
  });
  expect({ ...outcome, asked }).toMatchObject({
    ...(asks === undefined ? {} : { asked: asks }),
    code,
    stdout: typeof stdout === 'string' ? stdout : expect.stringMatching(stdout),
    ...(typeof stderr === 'string' ? { stderr } : { stderr: expect.stringMatching(stderr) }),
  });
});
