import { packageVersion } from '../../lib/package-root.js';
import { CONFIG_CLIENTS, CONFIG_FILES, configFor } from '../../mcp/config.js';
import type { Service } from '../../mcp/service.js';
import { TOOLSET_NAMES } from '../../mcp/toolsets.js';
import { ExitCode } from '../errors/exit-codes.js';
import { choice, defineCommand, flag, list, oneOf } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';
import { note, print } from '../output/print.js';

export const command = defineCommand({
  name: 'mcp',
  summary: 'Serve computers to models over MCP, on stdin and stdout',
  details: [
    'A server of the Model Context Protocol: screenshots, mouse and keyboard, computers and commands as',
    'tools. Programs such as Claude Desktop start it themselves; --config prints their configuration. It',
    'uses the service and the key of the current profile. With --secret, texts to type may contain',
    '{{secret:NAME}}.',
  ].join(' '),
  arguments: {},
  options: {
    toolset: list(
      '--toolset <name>',
      'only these tools; repeatable; manage also deletes computers',
      oneOf(TOOLSET_NAMES),
      {
        choices: TOOLSET_NAMES,
      },
    ),
    readOnly: flag('--read-only', 'only tools that change nothing'),
    secret: list('--secret <name>', 'secret that may be typed; repeatable', nonEmpty, {
      completes: 'secret',
    }),
    config: choice('--config <client>', 'print the configuration of a program', CONFIG_CLIENTS),
  },
  examples: [
    { does: 'Print how to add it to Claude Code', command: 'vc mcp --config claude-code' },
    {
      does: 'Print the configuration of Cursor, for the screen only',
      command: 'vc mcp --toolset screen --config cursor',
    },
  ],
  async run(context, _, { toolset, readOnly, secret, config }) {
    if (config !== undefined) {
      const chosen = toolset.flatMap((name) => ['--toolset', name]);
      const named = secret.flatMap((name) => ['--secret', name]);
      const args = ['mcp', ...chosen, ...(readOnly ? ['--read-only'] : []), ...named];
      for (const line of configFor(config, args).split('\n')) await print(context, line);
      await note(context, CONFIG_FILES[config]);
      return ExitCode.ok;
    }
    const client = await context.client();
    const { checkedMessages } = await import('../../mcp/checked-messages.js');
    const { createMcpServer } = await import('../../mcp/server.js');
    const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
    const service: Service = {
      request: (operation, asked) => client.requestAny(operation, asked),
    };
    const options = {
      service,
      version: packageVersion(),
      readOnly,
      secrets: secret,
      ...(toolset.length === 0 ? {} : { toolsets: toolset }),
    };
    const { stdin, stdout } = context.io;
    const messages = checkedMessages(stdin, stdout);
    const transport = new StdioServerTransport(messages, stdout);
    const ended = new Promise<void>((resolve) => {
      messages.once('end', resolve);
      context.interrupts.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const handle = serveStdio(() => createMcpServer(options), { transport });
    await ended;
    await handle.close();
    return ExitCode.ok;
  },
});
