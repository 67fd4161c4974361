import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
  // A terminal that changes its colour 0.1 s after each key.
  await desktop.run(
    `printf 'touch /tmp/ready; while IFS= read -rsn1 k; do echo "$k" >> /tmp/keys; sleep 0.1; case $k in r) printf "\\\\033[48;2;255;0;0m\\\\033[2J";; b) printf "\\\\033[48;2;0;0;255m\\\\033[2J";; esac; done\\n' > /tmp/flip.sh
    xterm -geometry 60x20+200+150 -b 0 +sb -T flip -e bash /tmp/flip.sh >/dev/null 2>&1 &`,
  );
  await desktop.until(
    'xdotool search --onlyvisible --name "^flip$" >/dev/null && test -e /tmp/ready',
  );
  await desktop.computer.wait({ until: 'stable' });
});
afterAll(() => desktop.close());

async function colorOf(image: string): Promise<string> {
  const { data } = await sharp(Buffer.from(image, 'base64'))
    .extract({ left: 400, top: 350, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return data.toString('hex');
}

const http = (path: string, body?: object) =>
  desktop.service.http(body ? 'POST' : 'GET', `/computers/${desktop.id}${path}`, body);

it('one batch clicks, types, settles and takes a screenshot of the result', async () => {
  for (const [text, color] of [
    ['r', 'ff0000'],
    ['b', '0000ff'],
    ['r', 'ff0000'],
  ] as const) {
    const { json } = await http('/batch', {
      actions: [
        { action: 'click', x: 400, y: 350 },
        { action: 'type', text, settle: { quiet_ms: 400, max_ms: 5000 } },
        { action: 'screenshot' },
      ],
    });
    expect(json.success).toBe(true);
    expect(json.results[1]).toEqual({ success: true, settled: true });
    expect(await colorOf(json.results[2].image)).toBe(color);
  }
});

it('a single action or screenshot can settle, too', async () => {
  expect((await http('/type', { text: 'b', settle: { quiet_ms: 400 } })).json.settled).toBe(true);
  expect(await colorOf((await http('/screenshot')).json.image)).toBe('0000ff');
  await http('/type', { text: 'r' });
  expect(await colorOf((await http('/screenshot?settle=400,5000')).json.image)).toBe('ff0000');
});

it('reports a screen that keeps changing', async () => {
  await desktop.run(
    "xterm -geometry 20x4+900+600 -T busy -e sh -c 'while :; do date +%N; sleep 0.02; done' >/dev/null 2>&1 &",
  );
  await desktop.until('xdotool search --onlyvisible --name "^busy$" >/dev/null');
  const { json } = await http('/move', { x: 5, y: 5, settle: { quiet_ms: 1000, max_ms: 1500 } });
  expect(json).toEqual({ success: true, settled: false });
  await desktop.run('pkill -f "sleep 0.02" ; xdotool search --name "^busy$" windowkill; true');
});

it('accepts coordinates of a scaled screenshot', async () => {
  const { json } = await http('/screenshot?scale=0.5');
  expect([json.width, json.height]).toEqual([640, 400]);
  await http('/move', { x: 320, y: 100, scale: 0.5 });
  expect(await desktop.run('xdotool getmouselocation')).toContain('x:640 y:200 ');
  await http('/move', { x: 639, y: 399, scale: 0.5 });
  expect(await desktop.run('xdotool getmouselocation')).toContain('x:1278 y:798 ');
  const outside = await http('/move', { x: 640, y: 0, scale: 0.5 });
  expect(outside.status).toBe(400);
  expect(outside.json.error).toContain('640x400');
});

it("keeps other clients' input out of a batch", async () => {
  await http('/click', { x: 400, y: 350 });
  await desktop.run(': > /tmp/keys');
  const mine = http('/batch', {
    actions: [
      { action: 'type', text: 'x' },
      { action: 'wait', seconds: 0.3 },
      { action: 'bash', command: 'true' },
      { action: 'type', text: 'y' },
    ],
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await Promise.all([mine, http('/type', { text: 'z' })]);
  await desktop.until('test "$(wc -l < /tmp/keys)" = 3');
  expect(await desktop.run('cat /tmp/keys')).toBe('x\ny\nz\n');
});

it('vc computer run stops at the first failure', async () => {
  const script = [
    { action: 'bash', command: 'echo one' },
    { action: 'click', x: 9999, y: 0 },
    { action: 'bash', command: 'touch /tmp/never' },
  ];
  const input = script.map((action) => JSON.stringify(action)).join('\n');
  const { code, stdout, stderr } = await desktop.service.cli(
    ['computer', 'run', desktop.name, '-'],
    { input },
  );
  expect(code).toBe(1);
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results).toMatchObject([
    { success: true, stdout: 'one\n' },
    { success: false, code: 'off_screen' },
  ]);
  expect(stderr).toContain('line 2 (click)');
  expect(await desktop.run('test -e /tmp/never || echo not')).toBe('not\n');
});
