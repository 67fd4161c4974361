import type { EngineImage, MachineDescription } from '../../../src/engines/engine.js';
import { FakeEngine } from '../fake-engine.js';

export class MemoryEngine extends FakeEngine {
  override readonly name = 'memory';

  override async describe(): Promise<MachineDescription> {
    return { ...(await super.describe()), isolation: 'vm' };
  }

  override async images(): Promise<EngineImage[]> {
    const createdAt = new Date(0);
    return [{ name: 'linux', os: 'linux', bytes: 3e6, createdAt, recipeHash: 'memorised' }];
  }

  override async recipeHash(): Promise<string> {
    return 'memorised';
  }
}
