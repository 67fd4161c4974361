import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findCircles } from './circles.js';
import { readImports, trackedFiles } from './sources.js';

/** What each folder of src may import besides itself. Imports never run upward. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  contract: ['lib'],
  mcp: ['lib', 'contract'],
  client: ['lib', 'contract', 'profile'],
  profile: ['lib', 'contract'],
  screen: ['lib', 'contract'],
  shell: ['lib', 'contract'],
  broadcast: ['lib', 'contract', 'screen'],
  'vnc-server': ['lib', 'contract', 'screen'],
  images: ['lib', 'contract'],
  engines: ['lib', 'contract', 'profile', 'screen', 'shell', 'images'],
  fleet: ['lib', 'contract', 'screen', 'shell', 'broadcast', 'vnc-server', 'images', 'engines'],
  server: [
    ...['lib', 'contract', 'profile', 'screen', 'shell', 'broadcast', 'vnc-server'],
    ...['images', 'engines', 'fleet', 'mcp'],
  ],
  cli: [
    ...['lib', 'contract', 'client', 'profile', 'screen', 'shell'],
    ...['images', 'engines', 'fleet', 'server', 'mcp'],
  ],
  // For the browser. Only types of the contract: see the test below.
  dashboard: ['contract'],
};

const imports = readImports();

test('every folder of src is a layer', () => {
  const folders = new Set(trackedFiles('src').map((path) => path.split('/')[1]));
  expect([...folders].sort()).toEqual(Object.keys(ALLOWED).sort());
});

test('imports run downward', () => {
  const layerOf = (path: string) => path.split('/')[1] ?? '';
  const upward = [...imports].flatMap(([path, targets]) =>
    targets
      .filter((target) => layerOf(target) !== layerOf(path))
      .filter((target) => !ALLOWED[layerOf(path)]?.includes(layerOf(target)))
      .map((target) => `${path} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

test('the dashboard imports nothing but types from other layers', () => {
  const mistaken = trackedFiles('src/dashboard')
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => {
      const lines = readFileSync(path, 'utf8').match(/^(import|export) [^;]*;/gm) ?? [];
      return lines
        .filter((line) => /'(\.\.\/)+(contract|lib|client|server|fleet)\//.test(line))
        .filter((line) => !/^(import|export) type /.test(line))
        .map((line) => `${path}: ${line}`);
    });
  expect(mistaken).toEqual([]);
});

test('no files import each other in a circle, types included', () => {
  expect(findCircles(imports)).toEqual([]);
});

test('the name of an engine occurs only in its own folder', () => {
  const engines = new Set(
    trackedFiles('src/engines').flatMap(
      (path) => /^src\/engines\/(\w+)\/index\.ts$/.exec(path)?.[1] ?? [],
    ),
  );
  const named = [...engines].flatMap((engine) =>
    [...imports.keys()]
      .filter((path) => !path.startsWith(`src/engines/${engine}/`))
      .filter((path) => codeOf(path).includes(`'${engine}'`))
      .map((path) => `${path}: ${engine}`),
  );
  expect(named).toEqual([]);
});

/** The text of a source without its comments. */
function codeOf(path: string): string {
  return readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
