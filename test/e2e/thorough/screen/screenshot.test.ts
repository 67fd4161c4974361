import sharp from 'sharp';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { inTier, isThorough } from '../../../support/run/tiers.js';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

async function shot(query = '', accept = 'image/png') {
  const response = await fetch(
    `${desktop.service.baseUrl}/computers/${desktop.id}/screenshot${query}`,
    {
      headers: { authorization: `Bearer ${desktop.service.apiKey}`, accept },
    },
  );
  expect(response.status, await response.clone().text()).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** The color in the middle of a region, as `#rrggbb`. */
async function colorAt(image: Buffer, x: number, y: number) {
  const { data } = await sharp(image)
    .extract({ left: x, top: y, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return `#${data.toString('hex')}`;
}

const paint = (color: string) =>
  desktop.run(
    `pkill -x xterm; xterm -geometry 60x20+200+150 -b 0 -bg '${color}' -fg '${color}' -cr '${color}' +sb -T paint -e sleep 60 >/dev/null 2>&1 &
   for i in $(seq 100); do xdotool search --onlyvisible --name '^paint$' >/dev/null && break; sleep 0.02; done`,
  );

it('a screenshot shows a window that opens', async () => {
  const before = await sharp(await shot())
    .raw()
    .toBuffer();
  await paint('#ff0000');
  await desktop.service.http('POST', `/computers/${desktop.id}/wait`, { until: 'stable' });
  const after = await shot();
  expect(await colorAt(after, 400, 350)).toBe('#ff0000');
  expect((await sharp(after).raw().toBuffer()).equals(before)).toBe(false);
});

it('a screenshot shows the effect of the preceding key, every time', async () => {
  await desktop.run(
    `cat > /tmp/flip.sh <<'X'
while IFS= read -rsn1 key; do case $key in r) printf '\\e[48;2;255;0;0m\\e[2J';; b) printf '\\e[48;2;0;0;255m\\e[2J';; esac; done
X
    pkill -x xterm; xterm -geometry 60x20+200+150 -b 0 +sb -T flip -e bash /tmp/flip.sh >/dev/null 2>&1 &
    for i in $(seq 100); do xdotool search --onlyvisible --name '^flip$' >/dev/null && break; sleep 0.02; done; sleep 0.5`,
  );
  // On a busy host, a program may react to a key later than a screenshot waits without `settle`.
  const isBusy = inject('engine') === 'qemu' || !isThorough;
  const settleOptions = isBusy ? { settle: { quiet_ms: 300, max_ms: 5000 } } : {};
  const seen: string[] = [];
  const wanted: string[] = [];
  for (let i = 0; i < inTier({ thorough: 20, quick: 6 }); i++) {
    const [key, color] = i % 2 === 0 ? ['r', '#ff0000'] : ['b', '#0000ff'];
    await desktop.service.http('POST', `/computers/${desktop.id}/type`, {
      text: key,
      ...settleOptions,
    });
    seen.push(await colorAt(await shot(), 400, 350));
    wanted.push(color as string);
  }
  expect(seen).toEqual(wanted);
});

it.each([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
])('comes as %s', async (format, type) => {
  expect((await sharp(await shot('', type)).metadata()).format).toBe(format);
  const { json } = await desktop.service.http(
    'GET',
    `/computers/${desktop.id}/screenshot?format=${format}`,
  );
  expect(json.format).toBe(format);
  expect((await sharp(Buffer.from(json.image, 'base64')).metadata()).format).toBe(format);
});

it('crops to a region and scales it', async () => {
  await paint('#00ff00');
  await desktop.service.http('POST', `/computers/${desktop.id}/wait`, { until: 'stable' });
  const part = await shot('?region=380,330,40,20&scale=0.5');
  expect(await sharp(part).metadata()).toMatchObject({ width: 20, height: 10 });
  expect(await colorAt(part, 10, 5)).toBe('#00ff00');
});

it('draws the pointer only on request', async () => {
  await desktop.service.http('POST', `/computers/${desktop.id}/move`, { x: 400, y: 350 });
  const without = await sharp(await shot('?region=390,340,40,40'))
    .raw()
    .toBuffer();
  const withPointer = await sharp(await shot('?region=390,340,40,40&cursor=1'))
    .raw()
    .toBuffer();
  expect(withPointer.equals(without)).toBe(false);
});

it.each([
  'region=1270,0,20,20',
  'region=0,0,0,5',
  'scale=2',
  'quality=0',
  'format=gif',
  'cursor=yes',
])('refuses %s', async (query) => {
  const { status, json } = await desktop.service.http(
    'GET',
    `/computers/${desktop.id}/screenshot?${query}`,
  );
  expect(status).toBe(400);
  expect(json.error).toMatch(new RegExp(query.split('=')[0] ?? ''));
});

it('a screenshot has the resolution of its computer', async () => {
  const { json } = await desktop.service.http('POST', `/projects/${desktop.project}/computers`, {
    name: 'large',
    resolution: '1600x900',
  });
  expect(json.resolution).toEqual({ width: 1600, height: 900 });
  const { json: picture } = await desktop.service.http('GET', `/computers/${json.id}/screenshot`);
  expect([picture.width, picture.height]).toEqual([1600, 900]);
  await desktop.service.http('DELETE', `/computers/${json.id}`);
});

it('wait returns when the screen is stable, or when it changes', async () => {
  const wait = (body: object) =>
    desktop.service.http('POST', `/computers/${desktop.id}/wait`, body);
  await desktop.run('pkill -x xterm; true');
  expect((await wait({ until: 'stable' })).json.success).toBe(true);
  const still = await wait({ until: 'change', timeout: 0.5, region: [300, 300, 100, 100] });
  expect(still.status).toBe(200);
  expect(still.json).toMatchObject({ success: true, changed: false });
  const changing = wait({ until: 'change', timeout: 10, region: [300, 300, 100, 100] });
  await paint('#ffff00');
  expect((await changing).json).toMatchObject({ success: true, changed: true });
  const timed = await wait({ seconds: 0.2 });
  expect(timed.json.waited).toBeGreaterThanOrEqual(0.19);
});
