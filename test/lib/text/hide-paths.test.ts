import { expect, it } from 'vitest';
import { hidePaths } from '../../../src/lib/text/hide-paths.js';

it.each([
  [
    "ENOENT: no such file, open '/root/.local/state/vc/x.json'",
    "ENOENT: no such file, open '…/x.json'",
  ],
  ['bind source path does not exist: /srv/vc/machines/a', 'bind source path does not exist: …/a'],
  ['stat "/var/lib/docker/overlay2/": denied', 'stat "…/": denied'],
  ['-drive file=/srv/vc/disk.qcow2,if=none: locked', '-drive file=…/disk.qcow2,if=none: locked'],
  [
    'Docker Engine 24.0 at unix:///run/user/1000/docker.sock',
    'Docker Engine 24.0 at …/docker.sock',
  ],
  ['open //var/lib/vc/x', 'open …/x'],
  ['rtmp://example.com/live/x refused, no image vc/linux, 1/2', null],
])('%s', (text, shown) => {
  expect(hidePaths(text)).toBe(shown ?? text);
});
