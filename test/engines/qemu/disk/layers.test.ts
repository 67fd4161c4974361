import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyVariables, freeze } from '../../../../src/engines/qemu/disk/layers.js';
import { QemuMachine } from '../../../../src/engines/qemu/machine/qemu-machine.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'vc-layers-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

it('a pipe in place of a layer does not hold the service', { timeout: 5_000 }, async () => {
  const directory = temporaryDirectory();
  execFileSync('mkfifo', [join(directory, 'layer')]);
  const frozen = freeze(directory, ['layer']).then(() => 'done');
  const late = new Promise((resolve) => setTimeout(resolve, 2_000, 'waits'));
  expect(await Promise.race([frozen, late])).toBe('done');
});

it('UEFI variables are copied unless QEMU has enlarged them', async () => {
  const root = temporaryDirectory();
  const machine = (id: string) => {
    mkdirSync(join(root, id));
    return new QemuMachine(id, join(root, id), {
      onChange: () => undefined,
      onReset: async () => undefined,
      onHangUp: () => undefined,
    });
  };
  const [from, to] = [machine('one'), machine('two')];
  const { image } = await machineRecord({});
  await from.writeNew(await machineRecord({ image: { ...image, kind: 'disk', firmware: 'uefi' } }));
  const [source, target] = [join(from.directory, 'vars.fd'), join(to.directory, 'vars.fd')];
  writeFileSync(source, 'x'.repeat(540_672));
  await copyVariables(from, to.directory);
  expect(readFileSync(target, 'latin1')).toBe('x'.repeat(540_672));
  truncateSync(source, (1 << 20) + 1);
  await expect(copyVariables(from, to.directory)).rejects.toMatchObject({
    code: 'internal',
    message: 'The UEFI variables (vars.fd) cannot be copied: it is larger than 1 MiB.',
  });
  expect(readFileSync(target, 'latin1')).toBe('x'.repeat(540_672));
});
