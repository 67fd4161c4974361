import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceError, VirtualComputers } from '../../../../src/client/index.js';
import { openMcp } from '../../../support/client/mcp.js';
import { openWebSession } from '../../../support/client/web-session.js';
import { eventually } from '../../../support/eventually.js';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

/** Milliseconds between two attempts of an agent that waits. */
const WAIT_MS = 200;

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

/** What an agent is told of a call: its text, whether it was refused, and whether it has a picture. */
interface Told {
  readonly text: string;
  readonly isError: boolean;
  readonly pictures: number;
}

/** A model's program: types, and looks at the screen. */
interface Agent {
  type(text: string): Promise<Told>;
  look(): Promise<Told>;
  close(): Promise<void>;
}

async function overMcp(key: string): Promise<Agent> {
  const service = { ...desktop.service, apiKey: key };
  const { client, call } = await openMcp(service, { transport: 'http', revision: '2026-07-28' });
  const computer = desktop.name;
  return {
    type: (text) => call('act', { computer, actions: [{ action: 'type', text }] }),
    look: () => call('screenshot', { computer }),
    close: () => client.close(),
  };
}

async function overComputerUse(apiKey: string): Promise<Agent> {
  const client = new VirtualComputers({ baseUrl: desktop.service.baseUrl, apiKey });
  const computer = client.computer({ id: desktop.id });
  type Result = { is_error?: boolean; content: { type: string; text?: string }[] };
  const use = async (name: string, input: object) => {
    const call = { type: 'tool_use', id: randomUUID(), toolset_name: 'computer', name, input };
    // No turn of the model is spent on it: the program learns that it has to wait.
    const answer = await computer.computerUse<Result>([call]).catch((error: ServiceError) => error);
    if (answer instanceof ServiceError) {
      expect(answer.code).toBe('controlled');
      return { text: `${answer.message} ${answer.remedy}`, isError: true, pictures: 0 };
    }
    const { results } = answer;
    const items = results.flatMap(({ content }) => content);
    return {
      text: items.map(({ text = '' }) => text).join('\n'),
      isError: results.some(({ is_error }) => is_error === true),
      pictures: items.filter(({ type }) => type === 'image').length,
    };
  };
  return {
    type: (text) => use('type', { text }),
    look: () => use('screenshot', {}),
    close: () => client.close(),
  };
}

/** A person: takes control, types, and gives control back. */
interface Person {
  take(): Promise<unknown>;
  type(text: string): Promise<unknown>;
  giveBack(): Promise<unknown>;
}

async function onWebPage(): Promise<Person> {
  const request = await openWebSession(desktop.service);
  const C = `/computers/${desktop.id}`;
  return {
    take: () => request('POST', `${C}/control`),
    type: (text) => request('POST', `${C}/type`, { text }),
    giveBack: () => request('DELETE', `${C}/control`),
  };
}

async function inTerminal(): Promise<Person> {
  const cli = async (...argv: string[]) => {
    const { code, stderr } = await desktop.service.cli(argv);
    expect(code, stderr).toBe(0);
  };
  return {
    take: () => cli('computer', 'control', desktop.name, 'take'),
    type: (text) => cli('type', desktop.name, text),
    giveBack: () => cli('computer', 'control', desktop.name, 'release'),
  };
}

const cases = [
  { of: 'an MCP client', open: overMcp, who: 'on the web page', person: onWebPage },
  { of: 'computer use', open: overComputerUse, who: 'in a terminal', person: inTerminal },
] as const;

it.each(cases)(
  'a run of $of is told of a person $who, waits, goes on, and is told what changed',
  async ({ open, person, who }) => {
    const file = `/tmp/${randomUUID()}`;
    await desktop.run(`xterm -e 'cat >${file}' >/dev/null 2>&1 &`);
    await desktop.until(`test -e ${file} && xdotool search --onlyvisible --class xterm >/dev/null`);
    await desktop.computer.wait({ until: 'stable' });
    const { key, id } = await desktop.service.vc.keys.create({ name: 'agent', rights: 'act' });
    const [agent, human] = [await open(key), await person()];
    expect(await agent.look()).toMatchObject({ isError: false, pictures: 1 });
    expect(await agent.type('first by the agent\n')).toMatchObject({ isError: false });

    const takenAt = Date.now();
    await human.take();
    const refused = await agent.type('never typed\n');
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(/Key .* has control of "desktop" since 20.*Z; other input is/);
    expect(refused.text).toContain('Wait until it is given back.');

    let attempts = 0;
    const waited = (async () => {
      for (;;) {
        const told = await agent.type('last by the agent\n');
        if (!told.isError) return told;
        expect(told.text).toContain('has control');
        attempts += 1;
        await sleep(WAIT_MS);
      }
    })();
    await human.type('second by a person\n');
    await eventually(async () => attempts >= 2);
    await human.giveBack();
    const givenBackAt = Date.now();

    const told = [(await waited).text, (await agent.look()).text].join('\n');
    const notice = /(A person|Another client) had control of this computer until (\S+Z) and may/;
    const [, by, until = ''] = notice.exec(told) ?? [];
    expect(by, told).toBe(who === 'on the web page' ? 'A person' : 'Another client');
    expect(Date.parse(until)).toBeGreaterThanOrEqual(takenAt);
    expect(Date.parse(until)).toBeLessThanOrEqual(givenBackAt);
    expect((await agent.look()).text).not.toContain('had control');
    expect(await desktop.run(`cat ${file}`)).toBe(
      'first by the agent\nsecond by a person\nlast by the agent\n',
    );

    await agent.close();
    await desktop.service.vc.keys.delete(id);
    await desktop.run('pkill -x xterm; true');
  },
);

it('a turn that has begun is answered call by call, and one that has not is refused whole', async () => {
  const file = `/tmp/${randomUUID()}`;
  await desktop.run(`xterm -e 'cat >${file}' >/dev/null 2>&1 &`);
  await desktop.until(`test -e ${file} && xdotool search --onlyvisible --class xterm >/dev/null`);
  await desktop.computer.wait({ until: 'stable' });
  const { key, id } = await desktop.service.vc.keys.create({ name: 'agent', rights: 'act' });
  const client = new VirtualComputers({ baseUrl: desktop.service.baseUrl, apiKey: key });
  const human = await onWebPage();
  type Result = { is_error?: boolean; content: [{ type: string; text: string }] };
  const use = (items: readonly object[]) =>
    client.computer({ id: desktop.id }).computerUse<Result>(items);
  const toolset = (name: string, input: object) => ({
    ...{ type: 'tool_use', id: randomUUID(), toolset_name: 'computer', name, input },
  });
  const type = (text: string) => toolset('type', { text });

  const turn = [
    type('first by the agent\n'),
    {
      ...{ type: 'tool_use', id: randomUUID(), name: 'bash' },
      input: { command: `touch ${file}.begun; exec sleep 600` },
    },
    type('never typed\n'),
    toolset('screenshot', {}),
  ];
  const running = use(turn);
  await desktop.until(`test -e ${file}.begun`);
  await human.take();
  const begun = await running;
  expect(begun.success).toBe(false);
  expect(begun.results.map(({ is_error = false }) => is_error)).toEqual([false, true, true, true]);
  const texts = begun.results.map(({ content }) => content[0].text);
  expect(texts[1]).toMatch(/Key .* on the web page has control of "desktop".* given back/);
  expect(texts[2]).toMatch(/^Not executed/);
  expect(texts[3]).toMatch(/^Not executed/);

  const next = [type('last by the agent\n')];
  await expect(use(next)).rejects.toMatchObject({ code: 'controlled' });
  await human.type('second by a person\n');
  await human.giveBack();
  // A repeated turn has the same answers; one that was refused whole can be repeated as it is.
  expect((await use(turn)).results).toEqual(begun.results);
  expect((await use(next)).success).toBe(true);
  const seen = await use([toolset('screenshot', {})]);
  expect(seen.control_notice).toMatch(/^A person had control of this computer until 20/);
  await desktop.until(`grep -q last ${file}`);
  expect(await desktop.run(`cat ${file}`)).toBe(
    'first by the agent\nsecond by a person\nlast by the agent\n',
  );

  await client.close();
  await desktop.service.vc.keys.delete(id);
  await desktop.run('pkill -x xterm; true');
});
