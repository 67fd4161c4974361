import { describe, expect, it } from 'vitest';
import type { Engine, EngineImage } from '../../../src/engines/engine.js';
import { choosePlacement } from '../../../src/fleet/computers/placement.js';

const image = (name: string, os: 'linux' | 'windows'): EngineImage => ({
  name,
  os,
  bytes: 1,
  createdAt: new Date(0),
});

/** The part of an engine that placement reads. */
function engineWith(...images: EngineImage[]): Engine {
  const capabilities = { isolation: 'container', os: ['linux', 'windows'], gpus: [] };
  const probe = async () => ({ usable: true });
  const engine = { name: 'docker', capabilities, images: async () => images, probe };
  return engine as unknown as Engine;
}

async function chosen(engine: Engine, os: 'linux' | 'windows', image?: string): Promise<string> {
  const offer = { offered: [engine], offeredEngine: () => engine };
  return (await choosePlacement(offer, { os, image })).image;
}

describe('the image of a new computer', () => {
  const all = engineWith(
    image('linux', 'linux'),
    image('wine', 'windows'),
    image('win11', 'windows'),
  );

  it("is the operating system's default, the Wine desktop for windows", async () => {
    expect(await chosen(all, 'linux')).toBe('linux');
    expect(await chosen(all, 'windows')).toBe('wine');
  });

  it('is the named one, for example a licensed disk', async () => {
    expect(await chosen(all, 'windows', 'win11')).toBe('win11');
    await expect(chosen(all, 'linux', 'win11')).rejects.toThrow('is for os "windows"');
  });

  it('is not missing without a word about the images of the owner', async () => {
    const offer = { offered: [all], offeredEngine: () => all };
    const refused = choosePlacement(offer, { image: 'offise', own: ['office', 'lab'] });
    await expect(refused).rejects.toMatchObject({
      message: expect.stringContaining('it has: linux, wine, win11; your own: office, lab.'),
      remedy: 'Did you mean "office"? See: vc image ls',
    });
  });

  it('is missing for windows without such an image; the remedy has both ways to get one', async () => {
    const refused = chosen(engineWith(image('linux', 'linux')), 'windows');
    await expect(refused).rejects.toMatchObject({
      code: 'image_missing',
      remedy: expect.stringMatching(
        /vc image build windows .*vc image import NAME disk.qcow2 --os windows/,
      ),
    });
  });
});
