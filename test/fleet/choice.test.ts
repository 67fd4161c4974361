import { describe, expect, it } from 'vitest';
import type { Engine, EngineImage } from '../../src/engines/engine.js';
import { choosePlace } from '../../src/fleet/choice.js';

const image = (name: string, os: 'linux' | 'windows'): EngineImage => ({
  name,
  os,
  bytes: 1,
  createdAt: new Date(0),
});

/** As much of an engine as the choice looks at. */
function engineWith(...images: EngineImage[]): Engine {
  const features = {
    isolation: 'container',
    fork: false,
    os: ['linux', 'windows'],
    gpus: [],
    pixels: 'raw',
  };
  const probe = async () => ({ usable: true });
  const engine = { name: 'docker', features, images: async () => images, probe };
  return engine as unknown as Engine;
}

async function chosen(engine: Engine, os: 'linux' | 'windows', image?: string): Promise<string> {
  const offer = { offered: [engine], offeredEngine: () => engine };
  return (await choosePlace(offer, { os, image })).image;
}

describe('the image of a new computer', () => {
  const all = engineWith(
    image('linux', 'linux'),
    image('wine', 'windows'),
    image('win11', 'windows'),
  );

  it("is the system's own, for windows the Wine desktop", async () => {
    expect(await chosen(all, 'linux')).toBe('linux');
    expect(await chosen(all, 'windows')).toBe('wine');
  });

  it('is the named one, a licensed disk for example', async () => {
    expect(await chosen(all, 'windows', 'win11')).toBe('win11');
    await expect(chosen(all, 'linux', 'win11')).rejects.toThrow('is for os "windows"');
  });

  it('is refused without any Windows image with both ways to get one', async () => {
    const refused = chosen(engineWith(image('linux', 'linux')), 'windows');
    await expect(refused).rejects.toMatchObject({ code: 'image_missing' });
    await expect(refused).rejects.toThrow('vc image build windows');
    await expect(refused).rejects.toThrow('vc image import NAME disk.qcow2 --os windows');
  });
});
