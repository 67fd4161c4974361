import { randomUUID } from 'node:crypto';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualComputers } from '../../../../src/client/index.js';
import { openScreen } from '../../../../src/screen/index.js';
import { pointerEvent } from '../../../../src/screen/rfb/messages.js';
import { openWebSession } from '../../../support/client/web-session.js';
import { eventually } from '../../../support/eventually.js';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';
import type { Json } from '../../../support/service/service.js';
import { openViewer } from '../../../support/viewer.js';

describe('two people on one computer', () => {
  let desktop: Desktop;
  beforeAll(async () => {
    desktop = await openDesktop();
  });
  afterAll(() => desktop?.close());

  const C = () => `/computers/${desktop.id}`;

  /** A live view as a browser opens it. */
  async function watch(link: string) {
    const viewer = openViewer(link, undefined, desktop.service.baseUrl);
    await viewer.first;
    const seen = await openScreen(viewer.stream);
    const last = () => viewer.events.findLast((event) => event.type === 'control');
    const read = () =>
      new Promise((resolve) => {
        viewer.socket.once('pong', resolve);
        viewer.socket.ping();
      });
    return { ...viewer, seen, last, read };
  }

  const pointer = async () => (await desktop.run('xdotool getmouselocation')).split(' screen')[0];

  it('see who has control, and only that one gives input until it is given back', async () => {
    const anna = await openWebSession(desktop.service);
    const { key } = await desktop.service.vc.keys.create({ name: 'ben', rights: 'act' });
    await using client = new VirtualComputers({ baseUrl: desktop.service.baseUrl, apiKey: key });
    const ben = client.computer({ id: desktop.id });
    const hers = await watch((await anna('POST', `${C()}/view`)).url);
    const his = await watch((await ben.view()).url);
    await eventually(async () => hers.last() !== undefined && his.last() !== undefined);
    expect(his.last()).toEqual({ type: 'control', control: null, is_mine: false });

    await anna('POST', `${C()}/control`);
    const holder = { session: true };
    await eventually(async () => hers.last()?.is_mine === true);
    await eventually(async () => his.last()?.control !== null);
    expect(hers.last()).toMatchObject({ control: { holder }, is_mine: true });
    expect(his.last()).toMatchObject({ control: { holder }, is_mine: false });
    his.stream.write(pointerEvent(300, 310, 0));
    await his.read();
    hers.stream.write(pointerEvent(201, 151, 0));
    await eventually(async () => (await pointer()) === 'x:201 y:151');
    await expect(ben.move(9, 9)).rejects.toMatchObject({
      ...{
        code: 'controlled',
        message: expect.stringMatching(/on the web page has control .* since 20/),
      },
    });
    expect(await pointer()).toBe('x:201 y:151');

    await anna('DELETE', `${C()}/control`);
    await eventually(async () => his.last()?.control === null && hers.last()?.control === null);
    his.stream.write(pointerEvent(302, 312, 0));
    await eventually(async () => (await pointer()) === 'x:302 y:312');
    const shots = async () =>
      (await ben.batch([{ action: 'screenshot', scale: 0.1 }])).results[0] as Json;
    expect((await shots()).control_notice).toMatch(
      /^A person had control of this computer until 20/,
    );
    expect((await shots()).control_notice).toBeUndefined();

    for (const { seen } of [hers, his]) seen.close();
  });

  it("taking control ends a program's typing and its connection to the browser", async () => {
    const anna = await openWebSession(desktop.service);
    const { key } = await desktop.service.vc.keys.create({ name: 'agent', rights: 'act' });
    await using client = new VirtualComputers({ baseUrl: desktop.service.baseUrl, apiKey: key });
    const agent = client.computer({ id: desktop.id });
    const endpoint = `${desktop.service.baseUrl}${C()}/cdp`;
    const headers = { authorization: `Bearer ${key}` };
    const connect = () => chromium.connectOverCDP(endpoint, { headers, timeout: 240_000 });
    const browser = await connect();
    const page = await browser.contexts()[0]?.newPage();
    // A retry finds the pages of earlier attempts as well.
    const url = `data:text/html,<textarea autofocus></textarea>${randomUUID()}`;
    await page?.goto(url);
    await page?.bringToFront();
    const written = () => page?.evaluate('document.querySelector("textarea").value.length');
    await page?.focus('textarea');
    const typing = agent.type('x'.repeat(1000), { delay_ms: 500 }).then(
      () => undefined,
      (error: Json) => error,
    );
    await eventually(async () => Number(await written()) > 0);

    await anna('POST', `${C()}/control`);
    expect(await typing).toMatchObject({ code: 'controlled' });
    await eventually(async () => !browser.isConnected());
    await expect(connect()).rejects.toThrow();
    await expect(agent.browser()).rejects.toMatchObject({ code: 'controlled' });

    await anna('DELETE', `${C()}/control`);
    const again = await connect();
    const kept = again
      .contexts()[0]
      ?.pages()
      .find((each) => each.url() === url);
    const length = await kept?.evaluate('document.querySelector("textarea").value.length');
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(1000);
    await again.close();
  });
});
