// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

/** Paths and programs of Windows, with a stand-in for the interpreter and Wine of the image `wine`. */
let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
  writeFileSync(join(desktop.service.directory, 'page.html'), 'a page');
});
afterAll(() => desktop.close());

/** Like `winepath --unix`, it prints an empty line for what does not exist. */
const INTERPRET = String.raw`#!/bin/bash
[ "$1" = --directory ] || exec bash
path=\${2//\\//}
path=$HOME/drive_c/\${path:3}
[ -e "$path" ] || path=
echo "\${path%/}"
`.replaceAll('\\${', '${');
const WINE = '#!/bin/sh\necho "wine: $*"\nexit 5\n';

const install = (path: string, text: string) =>
  desktop.run(`sudo tee ${path} >/dev/null <<'END'\n${text}END\nsudo chmod 755 ${path}`);
const vc = (...words: string[]) => desktop.service.cli(words, { cwd: desktop.service.directory });
const there = (path: string) => `${desktop.name}:${path}`;

it('on Linux they are names like any other', async () => {
  expect(await vc('cp', 'page.html', there('C:\\x.html'))).toMatchObject({ code: 0 });
  expect(await desktop.run(`cat 'C:\\x.html'; rm 'C:\\x.html'`)).toBe('a page');
  expect(await vc('exec', desktop.name, '--', 'none.exe')).toMatchObject({ code: 127 });
});

it('on Windows, files are copied to and from drives', async () => {
  await install('/usr/lib/vc/interpret', INTERPRET);
  await desktop.run('mkdir -p drive_c/dir');
  for (const path of ['C:\\x.html', 'C:\\dir', 'C:\\dir\\y.html', 'drive_c\\dir\\z.html']) {
    expect(await vc('cp', 'page.html', there(path)), path).toMatchObject({ code: 0 });
  }
  expect(await desktop.run('ls -A drive_c drive_c/dir; ls | grep : || true')).toBe(
    'drive_c:\ndir\nx.html\n\ndrive_c/dir:\npage.html\ny.html\nz.html\n',
  );
  expect(await vc('cp', there('C:\\dir\\y.html'), '.')).toMatchObject({ code: 0 });
  expect(readFileSync(join(desktop.service.directory, 'y.html'), 'utf8')).toBe('a page');
  const missing = await vc('cp', 'page.html', there('C:\\none\\x.html'));
  expect(missing.stderr).toContain('There is no directory for "C:\\\\none\\\\x.html"');
  expect(missing.code).not.toBe(0);
});

it('on Windows, programs of Windows are run by Wine', async () => {
  await install('/usr/local/bin/wine', WINE);
  const outcome = await vc('exec', desktop.name, '--', 'notepad.exe', 'a b');
  expect(outcome).toMatchObject({ code: 5, stdout: 'wine: notepad.exe a b\n' });
  expect(await vc('exec', desktop.name, '--', 'echo', 'x.exe')).toMatchObject({
    stdout: 'x.exe\n',
  });
});
