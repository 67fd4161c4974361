import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computer, openWorld, type World } from '../../support/run.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  const one = { ...computer, name: 'one' };
  world.service.on('GET /projects/demo/computers', { computers: [one] });
  world.service.on('GET /projects/demo/computers/one', one);
  world.service.on('POST /projects/demo/computers/one/click', { success: true });
  world.service.on('POST /projects/demo/computers', one);
});
afterAll(() => world.close());

const run = (line: string) => world.run(line.split(' '), { env: { VC_PROJECT: 'demo' } });

describe('--json FIELDS as two words, as in gh', () => {
  test.each([
    ['ls --json name', { computers: [{ name: 'one' }] }],
    ['ls --json name,status', { computers: [{ name: 'one', status: 'running' }] }],
    ['computer list --json name', { computers: [{ name: 'one' }] }],
    ['--json name,status get one', { name: 'one', status: 'running' }],
    ['get one --json name', { name: 'one' }],
    ['get --json name one', { name: 'one' }],
    ['get --json name', { name: 'one' }],
    ['-p demo get one --json name', { name: 'one' }],
    ['create one --json name --cpu 4', { name: 'one' }],
    ['create --cpu 4 one --json name', { name: 'one' }],
    ['click one --json 1 2', { success: true }],
    ['click --json one 1 2', { success: true }],
  ])('vc %s', async (line, document) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(document);
  });

  test('a bare --json prints everything, regardless of what follows', async () => {
    for (const line of ['get --json one', 'get one --json', 'get --json -p demo one']) {
      expect(JSON.parse((await run(line)).stdout)).toMatchObject({ id: computer.id, name: 'one' });
    }
  });

  test('a required argument comes first, even if it has the name of a field', async () => {
    const { code } = await run('create --json name');
    expect(code).toBe(0);
    expect(world.service.received.at(-1)?.body).toMatchObject({ name: 'name' });
  });

  test.each([
    ['ls --json nmae', 'there is no field "nmae"; did you mean name?'],
    ['ls --json name,nmae', 'there is no field "nmae"'],
    ['ls --json foo,bar', 'there is no field "foo"'],
    ['create one --json nmae', 'there is no field "nmae"'],
  ])('vc %s is an error that lists the fields, before any request', async (line, message) => {
    const before = world.service.received.length;
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr).error.message).toContain(`--json: ${message}`);
    expect(JSON.parse(stderr).error.hint).toMatch(/^fields: id, name, os, /);
    expect(world.service.received.length).toBe(before);
  });

  test('a command without fields says so', async () => {
    const view = await run('view one --json url');
    expect(JSON.parse(view.stderr).error.message).toBe('--json: view has no fields to select');
  });

  test('after -- it belongs to the program in the computer', async () => {
    world.service.onProcess((start, socket) => {
      expect(start).toMatchObject({ argv: ['x', '--json', 'id,name'] });
      socket.send(JSON.stringify({ type: 'exit', code: 3, signal: null }));
    });
    expect((await run('exec one -- x --json id,name')).code).toBe(3);
  });
});
