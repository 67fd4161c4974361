import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  MCP_REVISIONS,
  MCP_TRANSPORTS,
  type McpRevision,
  type McpTransport,
  openMcp,
} from '../../../../../support/client/mcp.js';
import { eventually } from '../../../../../support/eventually.js';
import { type Desktop, openDesktop } from '../../../../../support/service/desktop.js';

const LINES = ['Grüße, Привет, 中文 👍', 'zweite Zeile: ½ ≠ ∞'];

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
  await desktop.until('xdotool search --onlyvisible --class xfce4-panel >/dev/null');
});
afterAll(() => desktop.close());

describe.each(MCP_TRANSPORTS)('over %s', (transport) => {
  it.each(MCP_REVISIONS)('a client of revision %s writes a file with an editor', (revision) =>
    writeWithEditor(transport, revision),
  );
});

async function writeWithEditor(transport: McpTransport, revision: McpRevision): Promise<void> {
  const { client, sent, call } = await openMcp(desktop.service, { transport, revision });
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  expect(client.getProtocolEra()).toBe(revision === '2026-07-28' ? 'modern' : 'legacy');
  const { tools } = await client.listTools();
  expect(tools.length).toBeLessThanOrEqual(10);
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['list_computers', 'screenshot', 'act', 'run_command']),
  );

  let steps = 0;
  const step = async (name: string, input: Record<string, unknown> = {}) => {
    const result = await call(name, { computer: desktop.name, ...input });
    expect(result.isError, `${name}: ${result.text}`).toBe(false);
    steps += 1;
    return result;
  };
  const act = async (...actions: object[]) => {
    const { pictures } = await step('act', { actions });
    expect(pictures).toBe(1);
  };
  /** The id of an element on the screen, by a pattern of its line in the list. */
  const element = async (pattern: RegExp) => {
    let list = '';
    const found = eventually(async () => {
      const { text, pictures } = await step('screenshot', { elements: true });
      expect(pictures).toBe(1);
      list = text;
      return text
        .split('\n')
        .find((line) => pattern.test(line))
        ?.split(' ')[0];
    }, 40_000);
    return found.catch((cause) => {
      throw new Error(`no element is ${pattern}:\n${list}`, { cause });
    });
  };

  const file = `/tmp/${transport}-${revision}.txt`;
  expect((await call('list_computers', {})).text).toContain(`${desktop.name}\t`);
  await step('screenshot');
  await step('run_command', {
    command: `pkill -x mousepad; while pgrep -x mousepad; do sleep 0.1; done; : >${file}`,
  });
  await step('run_command', { command: `setsid mousepad ${file} >/dev/null 2>&1 &` });
  await act({ action: 'click', element: await element(/^\S+ text .*editable/) });
  await act({ action: 'type', text: LINES[0] });
  await act({ action: 'key', key: 'Return' }, { action: 'type', text: LINES[1] });
  await act({ action: 'click', element: await element(/^\S+ menu \S+ "File"/) });
  await act({ action: 'click', element: await element(/^\S+ menu item \S+ "Save"/) });
  await eventually(async () => {
    const { text } = await step('run_command', { command: `cat ${file}` });
    return text.startsWith(`${LINES.join('\n')}\n`);
  });
  expect(steps).toBeGreaterThanOrEqual(10);
  expect((await desktop.run(`cat ${file}`)).trimEnd()).toBe(LINES.join('\n'));

  if (transport === 'http') {
    const methods = sent.map(({ method }) => method);
    expect(methods[0]).toBe(revision === '2026-07-28' ? 'server/discover' : 'initialize');
    expect(new Set(sent.slice(1).map((each) => each.revision))).toEqual(new Set([revision]));
    expect(methods.includes('initialize')).toBe(revision !== '2026-07-28');
  }
  await client.close();
}
