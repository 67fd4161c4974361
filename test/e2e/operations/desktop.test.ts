// @module-tag slow
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';
import type { Json } from '../../support/service/service.js';

const VC = new URL('../../../bin/vc.js', import.meta.url).pathname;

/** Text in many scripts. These are short tests; test/e2e/screen and shell have the full ones. */
const MIXED = 'Grüße, Привет, 中文 日本語 한국어 العربية ½ € “quotes” 👍🏽 👩‍👩‍👧‍👦 e\u0301';

/** Programs in an emulated machine react slowly. */
const settle = { quiet_ms: 300, max_ms: 5000 };

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

const act = async (action: string, body: object = {}): Promise<Json> => {
  const path = `/computers/${desktop.id}/${action}`;
  const { status, json } = await desktop.service.http('POST', path, body);
  expect(status, `${action}: ${JSON.stringify(json)}`).toBe(200);
  return json;
};

it('text typed into an editor is saved and read back byte for byte', async () => {
  await desktop.run('mousepad /tmp/typed.txt >/dev/null 2>&1 &');
  await desktop.until('xdotool search --onlyvisible --class mousepad >/dev/null');
  await act('wait', { until: 'stable' });
  await act('type', { text: MIXED });
  await act('key', { key: 'ctrl+s' });
  const saved = await eventually(async () => {
    const content = await desktop.run('cat /tmp/typed.txt 2>/dev/null; true');
    return content.length > 0 && content;
  }, 60_000);
  expect(saved.replace(/\n$/, '')).toBe(MIXED);
  await desktop.run('pkill -x mousepad; while pgrep -x mousepad; do sleep 0.05; done; true');
});

it('a program receives clicks, keys, drags and the wheel at the right position', async () => {
  // An earlier attempt may have left its window.
  await desktop.run('pkill -x xev; while pgrep -x xev; do sleep 0.05; done; true');
  await desktop.run(
    'stdbuf -oL xev -geometry 400x300+300+200 -event mouse -event keyboard >/tmp/xev.log &',
  );
  // The window gets its final position when it becomes visible.
  await desktop.until('xdotool search --onlyvisible --name "Event Tester" >/dev/null');
  await act('wait', { until: 'stable' });
  const info = await desktop.run('xwininfo -name "Event Tester"');
  const origin = (axis: string) =>
    Number(new RegExp(`Absolute upper-left ${axis}:\\s+(\\d+)`).exec(info)?.[1]);
  const at = (x: number, y: number) => ({ x: origin('X') + x, y: origin('Y') + y });
  await act('move', at(5, 5));
  await act('click', { ...at(120, 80), button: 'right' });
  await act('key', { key: 'ctrl+c' });
  const [from, to] = [at(50, 50), at(350, 250)];
  const ends = { start_x: from.x, start_y: from.y, end_x: to.x, end_y: to.y };
  await act('drag', { ...ends, duration: 0.3 });
  await act('mouse-down', { ...at(10, 10), button: 'middle' });
  await act('mouse-up', { ...at(20, 20), button: 'middle' });
  const cursor = await desktop.service.http('GET', `/computers/${desktop.id}/cursor`);
  expect(cursor.json).toEqual({ success: true, ...at(20, 20) });
  await act('key-down', { key: 'shift' });
  await act('click', { ...at(70, 70), button: 'back' });
  await act('key-up', { key: 'shift' });
  await act('scroll', { direction: 'down', amount: 2, ...at(90, 90) });
  const events = await eventually(async () => {
    const found = (await desktop.run('cat /tmp/xev.log')).split('\n\n');
    return found.filter((event) => /button 5/.test(event)).length >= 4 && found;
  }, 60_000);
  const expected = [
    ['ButtonPress', '(120,80)', 'button 3'],
    // Control alone of all modifiers; the window manager may not have passed on the release of
    // button 3 yet (0x400).
    ['KeyPress', /state 0x(40)?4,/, ', c)'],
    ['ButtonPress', '(50,50)', 'button 1'],
    ['MotionNotify', 'state 0x100'],
    ['ButtonRelease', '(350,250)', 'button 1'],
    ['ButtonPress', '(10,10)', 'button 2'],
    ['ButtonRelease', '(20,20)', 'button 2'],
    ['ButtonPress', '(70,70)', 'state 0x1,', 'button 8'],
  ];
  const has = (event: string, word: string | RegExp) =>
    typeof word === 'string' ? event.includes(word) : word.test(event);
  const missing = expected.filter(
    (words) => !events.some((event) => words.every((word) => has(event, word))),
  );
  expect(missing, info + events.join('\n\n')).toEqual([]);
  await desktop.run('pkill -x xev');
});

it('a batch types, settles and takes a screenshot of the result', async () => {
  await desktop.run(`cat >/tmp/flip.sh <<'X'
while IFS= read -rsn1 key; do case $key in r) printf '\\e[48;2;255;0;0m\\e[2J';; b) printf '\\e[48;2;0;0;255m\\e[2J';; esac; done
X
xterm -geometry 60x20+200+150 -b 0 +sb -T flip -e bash /tmp/flip.sh >/dev/null 2>&1 &`);
  await desktop.until('xdotool search --onlyvisible --name "^flip$" >/dev/null');
  await act('wait', { until: 'stable' });
  for (const [text, color] of [
    ['r', 'ff0000'],
    ['b', '0000ff'],
  ]) {
    const { results } = await act('batch', {
      actions: [
        { action: 'click', x: 400, y: 350 },
        { action: 'type', text, settle },
        { action: 'screenshot', region: [400, 350, 1, 1] },
      ],
    });
    const pixel = sharp(Buffer.from(results[2].image, 'base64')).removeAlpha().raw();
    expect((await pixel.toBuffer()).toString('hex')).toBe(color);
  }
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const image = await desktop.computer.screenshot({ format });
    expect(await sharp(image).metadata()).toMatchObject({ format, width: 1280, height: 800 });
  }
});

it('commands, Python and background jobs run', async () => {
  const { stdout, stderr, exit_code } = await act('bash', {
    command: 'echo "$X"; echo err >&2; exit 3',
    env: { X: "it's $HOME" },
  });
  expect([stdout, stderr, exit_code]).toEqual(["it's $HOME\n", 'err\n', 3]);
  expect(await act('exec', { code: 'print(1 + 1)' })).toMatchObject({ output: '2\n' });
  const timed = await act('bash', { command: "trap '' TERM; sleep 71", timeout: 1 });
  expect(timed).toMatchObject({ timed_out: true });
  const { job_id } = await act('bash', { command: 'echo one; sleep 600', background: true });
  const { jobs } = desktop.computer;
  await eventually(async () => (await jobs.get(job_id)).output === 'one\n', 60_000);
  expect((await jobs.list()).map(({ id }) => id)).toContain(job_id);
  expect(await jobs.end(job_id)).toMatchObject({ status: 'exited', exit_code: 143 });
});

it('a port is forwarded', async () => {
  const server = 'cd /tmp && echo hello >index.html && exec python3 -m http.server 8000';
  await desktop.computer.bash(server, { background: true });
  await desktop.until('curl -sf http://127.0.0.1:8000/ >/dev/null');
  const tunnel = await desktop.computer.connect(8000);
  await tunnel.writable.getWriter().write('GET / HTTP/1.0\r\n\r\n');
  const text = await new Response(tunnel.readable).text();
  expect(text).toMatch(/^HTTP\/1.0 200 [\s\S]*hello\n$/);

  const argv = [VC, 'computer', 'forward', desktop.name, '--json', '0:8000'];
  const child = spawn(process.execPath, argv, { env: desktop.service.env });
  try {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await eventually(async () => output.includes('\n'), 60_000);
    const [{ local }] = JSON.parse(output).forwards;
    expect(await (await fetch(`http://127.0.0.1:${local}/`)).text()).toBe('hello\n');
  } finally {
    child.kill('SIGINT');
  }
});

it('the screen, processors and memory of a running computer change', async () => {
  const change = (body: object) =>
    desktop.service.http('PATCH', `/computers/${desktop.id}`, body).then(({ json }) => json);
  const changed = await change({ resolution: '1024x768', cpu: 4, ram: 4 });
  expect(changed).toMatchObject({ resolution: { width: 1024, height: 768 }, cpu: 4, ram: 4 });
  const shot = await desktop.service.http('GET', `/computers/${desktop.id}/screenshot`);
  expect(shot.json).toMatchObject({ width: 1024, height: 768 });
  await act('click', { x: 1023, y: 767 });
  expect(await desktop.run('xdotool getdisplaygeometry')).toBe('1024 768\n');
  // A container has them at once, a virtual machine when it is started again.
  if (changed.isolation === 'container') {
    expect(changed).not.toHaveProperty('pending');
    const limit = 'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes';
    const shown = await desktop.run(`${limit} 2>/dev/null; true`);
    // LXD shows its containers no control groups.
    if (changed.engine !== 'incus') expect(shown).toBe(`${4 * 2 ** 30}\n`);
  } else expect(changed.pending).toEqual(['cpu', 'ram']);
  expect((await change({ resolution: '1280x800', cpu: 2, ram: 4 })).pending).toEqual(
    changed.isolation === 'container' ? undefined : ['ram'],
  );
});

it('stops, starts and restarts, over HTTP and from the command line', async () => {
  const path = `/computers/${desktop.id}`;
  const post = (step: string) => desktop.service.http('POST', `${path}/${step}`);
  expect((await post('stop')).json.status).toBe('stopped');
  const refused = await desktop.service.http('GET', `${path}/screenshot`);
  expect(refused.status).toBe(400);
  expect(refused.json.error).toContain('is stopped');
  expect(refused.remedy).toContain('start');
  expect((await desktop.service.http('GET', `${path}/stats`)).status).toBe(400);
  const view = await desktop.service.cli(['computer', 'view', desktop.name, '--print']);
  expect(view).toMatchObject({ code: 6, stdout: '' });
  expect(view.stderr).toContain(`Start it: vc start ${desktop.name}`);
  expect((await post('start?wait=0')).json.status).toBe('starting');
  await sleep(500);
  expect((await post('restart?wait=0')).status).toBe(200);
  expect((await post('stop')).json.status).toBe('stopped');
});
