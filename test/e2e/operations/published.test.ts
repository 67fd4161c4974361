import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { connectSharedService, type Json } from '../../support/service/service.js';

const service = connectSharedService();
const name = `published-${process.pid}`;
afterAll(async () => {
  await service.http('DELETE', `/projects/${name}`);
  await service.close();
});

it('a client can work with the seven published rows only', async () => {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(response.status, `${method} ${path}`).toBe(200);
    return (await response.json()) as Json;
  };

  // An earlier attempt may have left it.
  await service.http('DELETE', `/projects/${name}`);
  const project = await call('POST', '/projects', { name });
  expect(project).toMatchObject({ name, computer_count: 0 });

  const computer = await call('POST', `/projects/${project.name}/computers`, {
    name: 'first',
    os: 'linux',
    ram: 2,
    cpu: 2,
  });
  expect(computer).toMatchObject({ name: 'first', os: 'linux', ram: 2, cpu: 2, status: 'running' });

  const picture = async () => {
    const shot = await call('GET', `/computers/${computer.id}/screenshot`);
    expect(shot).toMatchObject({ success: true, format: 'png', encoding: 'base64' });
    const image = sharp(Buffer.from(shot.image, 'base64'));
    expect(await image.metadata()).toMatchObject({ width: shot.width, height: shot.height });
    return image;
  };
  const { dominant } = await (await picture()).stats();
  expect(dominant, 'the desktop is painted').not.toMatchObject({ r: 0, g: 0, b: 0 });
  // On a busy host, the colour below the panel becomes the wallpaper a moment later.
  const entropy = async () => (await (await picture()).stats()).entropy;
  await expect.poll(entropy, { timeout: 10_000 }).toBeGreaterThan(0.5);

  const clicked = { x: 640, y: 400, button: 'left', double: false };
  expect(await call('POST', `/computers/${computer.id}/click`, clicked)).toEqual({ success: true });
  expect(await call('POST', `/computers/${computer.id}/type`, { text: 'hello' })).toEqual({
    success: true,
  });
  const started = await call('POST', `/computers/${computer.id}/start`);
  expect(started).toMatchObject({ id: computer.id, status: 'running' });
  expect(await call('DELETE', `/computers/${computer.id}`)).toEqual({ success: true });

  const afterDeletion = await service.http('GET', `/computers/${computer.id}/screenshot`);
  expect(afterDeletion.status).toBe(404);
  expect(Object.keys(afterDeletion.json)).toEqual(['error']);
});
