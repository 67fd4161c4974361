// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the variables of the file
import { describe, expect, it } from 'vitest';
import { parseFleetFile } from '../../../src/cli/fleet-file/parse.js';
import { fleetSchema } from '../../../src/cli/fleet-file/schema.js';

const parse = (text: string, env = {}) => parseFleetFile(text, 'computers.yaml', env).file;

describe('a fleet file', () => {
  it('has anchors, merge keys, variables and x- keys', () => {
    const { computers } = parse(
      `
name: \${PROJECT}
x-base: &base {cpu: 4, labels: &labels {team: qa, version: 1.10}}
x-more: &more {cpu: 8, protected: true}
computers:
  web:
    <<: [*base, *more]
    ram: \${RAM:-4}
    x-note: text
    env: {PORT: 080, DEBUG: true, NAME: "\${PROJECT}"}
    files: [{path: a, content: b, mode: 0600}]
  db:
`,
      { PROJECT: 'fleet' },
    );
    expect(computers.web).toMatchObject({
      ...{ cpu: 4, ram: 4, protected: true, labels: { team: 'qa', version: '1.10' } },
      env: { PORT: '080', DEBUG: 'true', NAME: 'fleet' },
      files: [{ path: 'a', content: 'b', mode: '0600' }],
    });
    expect(computers.db).toMatchObject({ cpu: 2, ram: 2 });
  });

  const computers = (text: string) => `name: a\ncomputers:\n${text}`;
  const bomb = (join: (names: string) => string) =>
    `name: a\nx-0: &x0 {cpu: 2}\n${Array.from({ length: 9 }, (_, at) => {
      const names = Array.from({ length: 10 }, () => `*x${at}`).join(', ');
      return `x-${at + 1}: &x${at + 1} ${join(names)}\n`;
    }).join('')}computers: {b: *x9}\n`;

  it.each([
    [
      'a typo',
      computers('  web: {imge: linux}'),
      '3:9: computers.web.imge is not a known key; did you mean image?',
    ],
    ['a typo at the top', 'name: a\ncomputer: {}', '1:1: computers is missing'],
    [
      'a key of a merged map',
      'name: a\nx-b: &b\n  cpus: 2\ncomputers:\n  web: *b',
      '3:3: computers.web.cpus is not a known key; did you mean cpu?',
    ],
    [
      'an unknown volume',
      computers('  web: {volumes: ["date:/data"]}\nvolumes: {data: }'),
      '3:19: computers.web.volumes.0 is not in "volumes" of this file: date; did you mean data?',
    ],
    [
      'a wrong path of a volume',
      computers('  web: {volumes: ["data:data"]}'),
      '3:19: computers.web.volumes.0.path must be an absolute path',
    ],
    [
      'a typo in a volume',
      computers('  web: {}\nvolumes: {data: {engin: qemu}}'),
      '4:18: volumes.data.engin is not a known key; did you mean engine?',
    ],
    [
      'a name that is no name of a volume',
      computers('  web: {}\nvolumes: {"a b": }'),
      '4:11: volumes.a b must have names of volumes',
    ],
    [
      'a wrong value',
      computers('  web:\n    cpu: 3'),
      '4:10: computers.web.cpu must be 2, 4 or 8 (cores)',
    ],
    ['a name twice', computers('  web: {}\n  web: {}'), '4:3: Map keys must be unique'],
    [
      'a name twice by count',
      computers('  web: {count: 2}\n  web-2: {}'),
      '4:3: computers.web-2 makes a second computer web-2, as web does',
    ],
    [
      'a name that is no name',
      computers('  "a b": {}'),
      '3:3: computers.a b must have names of 1 to 58 letters',
    ],
    [
      'a count of 0',
      computers('  web: {count: 0}'),
      '3:16: computers.web.count must be an integer from 1 to 100',
    ],
    [
      'a count of 1000',
      computers('  web: {count: 1000}'),
      '3:16: computers.web.count must be an integer from 1 to 100',
    ],
    [
      'a cycle',
      computers('  a: {depends_on: [b]}\n  b: {depends_on: [a]}'),
      '3:7: computers.a.depends_on forms a cycle: a → b → a',
    ],
    ['itself', computers('  a: {depends_on: [a]}'), 'forms a cycle: a → a'],
    [
      'an unknown computer',
      computers('  web: {depends_on: [wep]}'),
      '3:22: computers.web.depends_on.0 is not a computer of this file: wep; did you mean web?',
    ],
    [
      'an unknown variable',
      computers('  web:\n    image: ${IMAGE}'),
      '4:12: the variable IMAGE is not set',
    ],
    [
      'a label of vc up',
      computers('  web: {labels: {vc.up: x}}'),
      '3:17: computers.web.labels must have no names that begin with "vc."',
    ],
    [
      'a file without a target',
      computers('  web: {files: [app.json]}'),
      '3:17: computers.web.files.0 must be LOCAL:REMOTE',
    ],
    [
      'a build without a context',
      computers('  web:\n    build: {target: x}'),
      '4:5: computers.web.build.context is missing',
    ],
    [
      'a script twice',
      computers('  web: {setup: a, setup_file: b}'),
      'computers.web.setup_file cannot be combined with setup',
    ],
    ['no map', 'x', '1:1: the file must be an object with "name" and "computers"'],
    ['nothing', '', '1:1: the file must be an object'],
    ['no YAML', 'name: [', '1:8: '],
    ['two documents', 'name: a\n---\nname: b', '2:1: Source contains multiple documents'],
    ['an unknown tag', 'name: !x a', '1:7: Unresolved tag: !x'],
    [
      'an alias of itself',
      computers('  web: &a {labels: {b: *a}}'),
      'it is too large with all its aliases',
    ],
    [
      'aliases that multiply',
      bomb((names) => `[${names}]`),
      'it is too large with all its aliases',
    ],
    [
      'merge keys that multiply',
      bomb((names) => `{<<: [${names}]}`),
      'it is too large with all its aliases',
    ],
    ['deep nesting', `name: ${'['.repeat(5000)}`, 'computers.yaml:'],
  ])('refuses %s', (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

it('has a JSON schema with the options of a creation', () => {
  const schema = JSON.parse(JSON.stringify(fleetSchema()));
  const computer = schema.properties.computers.additionalProperties;
  expect(Object.keys(computer.properties)).toEqual(
    expect.arrayContaining(['cpu', 'image', 'env', 'expires_in', 'build', 'depends_on']),
  );
  expect(computer).toMatchObject({ additionalProperties: false, patternProperties: { '^x-': {} } });
  expect(schema.required).toEqual(['name', 'computers']);
});
