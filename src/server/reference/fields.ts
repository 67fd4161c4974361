import type { Json } from '../../contract/operations/operation.js';
import { type Html, html, inline } from './html.js';

/** A table of a schema's properties, those of inner objects included. */
export function fieldTable(schema: Json): Html {
  const rows = rowsOf(schema, '');
  if (rows.length === 0) return html``;
  return html`<div class="scroll"><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** A row of such a table. */
export function fieldRow(name: string, schema: Json, isRequired: boolean, text: string): Html {
  const notes = notesOf(schema);
  return html`<tr><td><code>${name}</code>${isRequired ? html` <span class="required">required</span>` : html``}</td><td class="type">${typeOf(schema)}</td><td>${inline(text)}${notes === '' ? html`` : html` <span class="notes">${inline(notes)}</span>`}</td></tr>`;
}

function rowsOf(schema: Json, prefix: string): Html[] {
  const required = (schema.required ?? []) as readonly string[];
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(
    ([name, property]) => [
      fieldRow(
        `${prefix}${name}`,
        property,
        required.includes(name),
        String(property.description ?? ''),
      ),
      ...innerObjects(property).flatMap((inner) => rowsOf(inner, `${prefix}${name}.`)),
    ],
  );
}

/** Objects that a property holds, alone, in a list or as one of several forms. */
function innerObjects(property: Json): Json[] {
  const forms = (property.anyOf ?? property.oneOf ?? [property]) as Json[];
  return forms
    .map((form) => (form.type === 'array' ? ((form.items ?? {}) as Json) : form))
    .filter((form) => form.properties !== undefined);
}

/** A schema's type, with links to named schemas. */
export function typeOf(schema: Json): Html {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (Array.isArray(schema.enum)) {
    return joined(schema.enum.map((value) => html`<code>${String(value)}</code>`));
  }
  const forms = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (forms !== undefined) return joined(forms.map(typeOf));
  if (Array.isArray(schema.prefixItems)) {
    return html`[${schema.prefixItems.map((item, index) => html`${index === 0 ? '' : ', '}${typeOf(item)}`)}]`;
  }
  if (schema.type === 'array') return html`list of ${typeOf((schema.items ?? {}) as Json)}`;
  if (Array.isArray(schema.type)) return html`${schema.type.join(' | ')}`;
  if (schema.format === 'date-time') return html`time`;
  return html`${String(schema.type ?? 'any')}`;
}

function joined(types: readonly Html[]): Html {
  return html`${types.map((type, index) => html`${index === 0 ? '' : ' | '}${type}`)}`;
}

/** Default, range and length. */
function notesOf(schema: Json): string {
  const { default: value, minimum, maximum, minLength, maxLength, maxItems } = schema;
  const range = (low: unknown, high: unknown) =>
    low === undefined ? `up to ${high}` : high === undefined ? `from ${low}` : `${low} to ${high}`;
  return [
    ...(minimum === undefined && maximum === undefined ? [] : [`${range(minimum, maximum)}.`]),
    ...(maxLength === undefined ? [] : [`${range(minLength, maxLength)} characters.`]),
    ...(maxItems === undefined ? [] : [`At most ${maxItems}.`]),
    ...(value === undefined ? [] : [`Default: \`${JSON.stringify(value)}\`.`]),
  ].join(' ');
}
