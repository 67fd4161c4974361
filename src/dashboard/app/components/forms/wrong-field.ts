import type { Failure } from '../../api/failure.js';

/**
 * Whether the service has refused a field: its errors begin with the name, as in `ram must be 2, 4 or
 * 8` and `network.allow.0 must be …`. The form has some names without their unit.
 */
export function concerns(
  { code, message }: Pick<Failure, 'code' | 'message'>,
  name: string,
): boolean {
  const [field = ''] = message.split(/[ .]/, 1);
  return code === 'invalid_request' && (field === name || field.startsWith(`${name}_`));
}

/** Shows the field that was refused, and gives it the focus; false if the form has none. */
export function showWrong(form: HTMLFormElement | null, failure: Failure): boolean {
  const fields = [...(form?.querySelectorAll<HTMLElement>('.field [name]') ?? [])];
  const field = fields.find((each) => concerns(failure, each.getAttribute('name') ?? ''));
  const hidden = field?.closest('details');
  if (hidden) hidden.open = true;
  field?.focus();
  return field !== undefined;
}
