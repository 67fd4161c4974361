import type { TestService } from './service.js';

/** Steps after which a computer still has what it was created with, by name. They do not wait until it runs. */
export function eventsOf(
  service: TestService,
): readonly (readonly [name: string, pass: (id: string) => Promise<unknown>])[] {
  const post = (id: string, step: string) =>
    service.http('POST', `/computers/${id}/${step}?wait=0`, {});
  return [
    [
      'a stop and a start',
      async (id) => {
        await service.http('POST', `/computers/${id}/stop`);
        await post(id, 'start');
      },
    ],
    ['a restart', (id) => post(id, 'restart')],
    [
      'a restart of the service',
      async () => {
        await service.kill('SIGKILL');
        await service.start();
      },
    ],
    ['a reset', (id) => post(id, 'reset')],
  ];
}
