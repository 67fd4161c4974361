import type { Intent } from '../../../api/commands.js';
import { query } from '../../../api/http.js';
import type { Computer } from '../../../api/types.js';

type Named = Pick<Computer, 'id' | 'name' | 'project_name'>;

/** The request for a recording of so many seconds. */
export function recordIntent(
  { id, name, project_name }: Named,
  { duration, fps }: { readonly duration: string; readonly fps: string },
): Intent {
  const file = 'recording.mp4';
  const options = ['-o', file, '--for', `${duration}s`, '--fps', fps];
  return {
    method: 'GET',
    path: `/computers/${id}/record${query({ duration, fps })}`,
    vc: ['record', `${project_name}/${name}`, ...options],
    file: {
      name: file,
      python: `vc.computer(id=${JSON.stringify(id)}).record("${file}", duration=${duration}, fps=${fps})`,
    },
  };
}

/** The request that sets the clipboard. */
export function clipboardIntent({ id, name, project_name }: Named, text: string): Intent {
  const request = { method: 'PUT', path: `/computers/${id}/clipboard`, body: { text } } as const;
  // For `vc clipboard`, - is its input.
  if (text === '-') return request;
  return { ...request, vc: ['clipboard', `${project_name}/${name}`, 'set', '--', text] };
}
