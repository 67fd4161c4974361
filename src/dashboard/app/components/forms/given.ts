/** A text of a form; undefined when it was left empty. */
export function given(fields: FormData, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
