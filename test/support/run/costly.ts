/**
 * Unit tests that take three to thirty seconds of processor time each, with real programs, X servers,
 * SSH servers or disks, or with megabytes of hostile data. The thorough tier runs them, and any run in
 * which they are named: `npx vitest run --project unit test/shell/transfer.test.ts`.
 */
export const COSTLY: readonly string[] = [
  'test/broadcast/frame-pacer.test.ts',
  'test/cli/commands/programs.test.ts',
  'test/cli/launcher/code-cache.test.ts',
  'test/cli/service/silence.test.ts',
  'test/cli/terminal/private-link.test.ts',
  'test/client/http/trusted-peer.test.ts',
  'test/engines/docker/network/guard-script.test.ts',
  'test/engines/qemu/disk/merge-layers.test.ts',
  'test/engines/qemu/images/import.test.ts',
  'test/screen/capture/png-bands.test.ts',
  'test/screen/hostile.test.ts',
  'test/screen/xvnc.test.ts',
  'test/server/limits/answer-memory.test.ts',
  'test/server/limits/large-answers.test.ts',
  'test/server/limits/turns/bursts.test.ts',
  'test/server/websocket/socket-budget.test.ts',
  'test/server/websocket/wall.test.ts',
  'test/shell/channel-close.test.ts',
  'test/shell/files/hostile.test.ts',
  'test/shell/hostile.test.ts',
  'test/shell/process/quote.test.ts',
  'test/shell/python/report.test.ts',
  'test/shell/transfer.test.ts',
];
