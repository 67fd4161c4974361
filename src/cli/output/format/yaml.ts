import { printableJson } from '../../../lib/text/printable.js';

/** A text that YAML 1.2 reads as itself without quotes, and no other scalar type. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_./@-]*( [A-Za-z0-9_./@-]+)*$/;
/** Words that YAML 1.1 or 1.2 reads as a boolean, null or number. */
const RESERVED = /^(y|n|yes|no|on|off|true|false|null|nan|inf)$/i;

/** JSON data as YAML: block style, with the same names and order. */
export function toYaml(value: unknown): string {
  return `${block(value, '')}\n`;
}

function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `${indent}- ${block(item, `${indent}  `).trimStart()}`).join('\n');
  }
  const entries = isObject(value)
    ? Object.entries(value).filter(([, item]) => item !== undefined)
    : [];
  if (entries.length === 0) return `${indent}${scalar(value)}`;
  return entries.map(([name, item]) => `${indent}${text(name)}:${below(item, indent)}`).join('\n');
}

/** What follows `name:`, on the same line or below it. */
function below(value: unknown, indent: string): string {
  const isEmpty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  if (isEmpty) return ` ${scalar(value)}`;
  return `\n${block(value, Array.isArray(value) ? indent : `${indent}  `)}`;
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return text(value);
  return JSON.stringify(value) ?? 'null';
}

/** YAML takes every JSON string as it is. */
function text(value: string): string {
  return PLAIN.test(value) && !RESERVED.test(value) ? value : printableJson(JSON.stringify(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
