/** Programs that use MCP servers, and the configuration of each. */
const CLIENTS = {
  'claude-code': (args: readonly string[]) => `claude mcp add vc -- vc ${args.join(' ')}`,
  'claude-desktop': (args: readonly string[]) => json({ mcpServers: { vc: stdio(args) } }),
  codex: (args: readonly string[]) =>
    `[mcp_servers.vc]\ncommand = "vc"\nargs = ${JSON.stringify(args)}`,
  cursor: (args: readonly string[]) => json({ mcpServers: { vc: stdio(args) } }),
  vscode: (args: readonly string[]) => json({ servers: { vc: { type: 'stdio', ...stdio(args) } } }),
} as const;

export type ConfigClient = keyof typeof CLIENTS;
export const CONFIG_CLIENTS = Object.keys(CLIENTS) as readonly ConfigClient[];

/** Where each program keeps its configuration. */
export const CONFIG_FILES: Readonly<Record<ConfigClient, string>> = {
  'claude-code': 'run it in the directory of your project',
  'claude-desktop': 'claude_desktop_config.json (Settings, Developer, Edit Config)',
  codex: '~/.codex/config.toml',
  cursor: '~/.cursor/mcp.json',
  vscode: '.vscode/mcp.json',
};

/** The configuration for `vc` with these arguments. */
export function configFor(client: ConfigClient, args: readonly string[]): string {
  return CLIENTS[client](args);
}

function stdio(args: readonly string[]) {
  return { command: 'vc', args };
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
