import { describe, expect, it } from 'vitest';
import { machineState } from '../../../../src/engines/containers/machine/status.js';

const state = (Status: string, ExitCode = 0, OOMKilled = false) =>
  machineState('m', { Status, ExitCode, OOMKilled });

describe("a machine's status, from its container's state", () => {
  it.each(['running', 'paused', 'restarting'])('%s is running', (status) => {
    expect(state(status)).toEqual({ id: 'm', status: 'running' });
  });

  it.each(['created', 'removing'])('%s is stopped', (status) => {
    expect(state(status)).toEqual({ id: 'm', status: 'stopped' });
  });

  it('a killed one is stopped, with the reason', () => {
    expect(state('exited', 137)).toMatchObject({ status: 'stopped', reason: /killed/ });
  });

  it.each([0, 130, 143, 255])('exit code %d is not a failure', (code) => {
    expect(state('exited', code)).toEqual({ id: 'm', status: 'stopped' });
  });

  it('any other exit is an error with its reason', () => {
    expect(state('exited', 1)).toMatchObject({ status: 'error', reason: /exit code 1/ });
    expect(state('exited', 137, true)).toMatchObject({ status: 'error', reason: /memory/ });
    const reason = 'Its desktop ended with exit code 1 after it ran out of memory.';
    expect(state('exited', 1, true)).toEqual({ id: 'm', status: 'error', reason });
    expect(state('dead')).toMatchObject({ status: 'error' });
  });

  it('an out-of-memory kill inside is not a failure of the machine', () => {
    expect(state('running', 0, true)).toEqual({ id: 'm', status: 'running' });
    expect(state('exited', 0, true)).toEqual({ id: 'm', status: 'stopped' });
  });
});
