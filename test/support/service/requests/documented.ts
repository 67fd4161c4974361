import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  type OpenApiDocument,
  openApiDocument,
} from '../../../../src/contract/openapi/document.js';
import type { RecordedAnswer } from './requests.js';

type Json = Record<string, unknown>;

interface Template {
  readonly path: string;
  readonly pattern: RegExp;
  /** Segments that are not parameters. */
  readonly literals: number;
}

/** Compares answers with the OpenAPI document. */
export class Documented {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #templates: readonly Template[];

  constructor() {
    this.#document = withoutOthers(openApiDocument('0.0.0')) as OpenApiDocument;
    this.#ajv.addSchema(this.#document, 'document');
    this.#templates = Object.keys(this.#document.paths).map((path) => ({
      path,
      pattern: RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      literals: path.split('/').filter((segment) => !segment.startsWith('{')).length,
    }));
  }

  /** What an answer has that the document does not say; undefined if nothing. */
  complaint(answer: RecordedAnswer): string | undefined {
    const { method, path, status } = answer;
    const template = this.#templateOf(path.replace(/^\/api(?=\/)/, ''));
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const row = template === undefined ? undefined : this.#document.paths[template]?.[name];
    // Paths and methods that do not exist are answered by the framework.
    if (template === undefined || row === undefined || status === 405) return undefined;
    const where = `${method} ${template} ${status}`;
    const responses = row.responses as Readonly<Record<number, Json>>;
    const listed = responses[status];
    if (listed === undefined) return `${where}: the status is not documented (${answer.code})`;
    const at = ['#/paths', template, name, 'responses', `${status}`].map(pointer).join('/');
    const response = resolve(this.#document, listed, at);
    const reason = this.#mismatch(answer, response.value, response.at);
    return reason === undefined ? undefined : `${where}: ${reason}`;
  }

  #mismatch(answer: RecordedAnswer, response: Json, at: string): string | undefined {
    const { method, type, code, hasId, body } = answer;
    const headers = (response.headers ?? {}) as Record<string, { schema?: { enum?: string[] } }>;
    if (!hasId) return 'there is no x-request-id';
    const codes = headers['x-error-code']?.schema?.enum;
    if (codes !== undefined && !codes.includes(String(code)))
      return `the code ${code} is not listed`;
    if (codes === undefined && code !== undefined) return `there is a code: ${code}`;
    const content = response.content as Json | undefined;
    if (content === undefined) return type === '' ? undefined : `there is a body of type ${type}`;
    if (type === '' && method === 'HEAD') return undefined;
    if (content[type] === undefined) return `the type ${JSON.stringify(type)} is not documented`;
    if (body === undefined || method === 'HEAD') return undefined;
    const reference = `document${at}/content/${pointer(type)}/schema`;
    const validate = this.#ajv.getSchema(reference);
    if (validate === undefined) return `there is no schema at ${reference}`;
    if (validate(body)) return undefined;
    return `${this.#ajv.errorsText(validate.errors)}: ${JSON.stringify(body).slice(0, 300)}`;
  }

  #templateOf(path: string): string | undefined {
    const matching = this.#templates.filter(({ pattern }) => pattern.test(path));
    return matching.sort((one, other) => other.literals - one.literals)[0]?.path;
  }
}

const pointer = (name: string) =>
  name.startsWith('#')
    ? name
    : encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));

/** What a reference stands for, and where that is. */
function resolve(document: Json, value: Json, at: string): { value: Json; at: string } {
  const { $ref } = value;
  if (typeof $ref !== 'string') return { value, at };
  const target = $ref
    .slice(2)
    .split('/')
    .reduce((within: Json, name) => within[name] as Json, document);
  return { value: target, at: $ref };
}

/** The same schemas without properties that they do not list: those are not documented. */
function withoutOthers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOthers);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutOthers(each)]),
  );
  const isObject = copy.type === 'object' && copy.properties !== undefined;
  return isObject ? { additionalProperties: false, ...copy } : copy;
}
