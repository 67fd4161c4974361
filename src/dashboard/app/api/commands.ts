import type { Method } from './types.js';

/** A request that a form is about to send, which can be copied for a shell or a program. */
export interface Intent {
  readonly method: Method;
  /** Relative to the base address, encoded. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The words after `vc`; without them `vc api` with the request. */
  readonly vc?: readonly string[];
  /** The file for the answer, which is not JSON. `python` is what the client's object `vc` does for it. */
  readonly file?: { readonly name: string; readonly python: string };
}

/** A word as a POSIX shell reads it. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Fields with values that other users of a machine must not see among the arguments of a program. */
const SECRET = ['value', 'secret', 'stream_key', 'env'];
type Body = Readonly<Record<string, unknown>>;

function isSecret(body: Body): boolean {
  return SECRET.some((name) => body[name] !== undefined);
}

/** A command that reads the body from its input. */
function withInput(words: readonly string[], body: Body): string {
  return `${words.join(' ')} <<'END'\n${JSON.stringify(body)}\nEND`;
}

/** The request for curl, with the key in a variable. */
export function asCurl({ method, path, body, file }: Intent, origin: string): string {
  const words = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    quote(`${origin}/api${path}`),
  ];
  words.push('-H', '"Authorization: Bearer $VC_API_KEY"');
  if (file !== undefined) words.push('-o', quote(file.name));
  if (body !== undefined) {
    words.push('-H', quote('Content-Type: application/json'), '-d');
    if (isSecret(body)) return withInput([...words, '@-'], body);
    words.push(quote(JSON.stringify(body)));
  }
  return words.join(' ');
}

/** The same with the command-line program. */
export function asVc(intent: Intent): string {
  const { method, path, body, vc } = intent;
  if (vc === undefined && body !== undefined && isSecret(body)) {
    return withInput(['vc', 'api', method, quote(path), '--input', '-'], body);
  }
  return ['vc', ...(vc ?? apiWords(intent))].map(quote).join(' ');
}

/** A program in TypeScript that sends the request, without packages. */
export function asTypeScript({ method, path, body, file }: Intent, origin: string): string {
  const fields = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of the program
    '    authorization: `Bearer ${process.env.VC_API_KEY}`,',
    ...(body === undefined ? [] : ["    'content-type': 'application/json',"]),
    '  },',
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
  ];
  const url = JSON.stringify(`${origin}/api${path}`);
  const request = `const response = await fetch(${url}, {\n${fields.join('\n')}\n});`;
  if (file === undefined) return `${request}\nconsole.log(await response.json());`;
  return [
    "import { writeFile } from 'node:fs/promises';",
    request,
    'if (!response.ok || response.body === null) throw new Error(await response.text());',
    `await writeFile(${JSON.stringify(file.name)}, response.body);`,
  ].join('\n');
}

/** The same in Python, with the client of this project. */
export function asPython({ method, path, body, file }: Intent, origin: string): string {
  const words = [method, path].map((word) => JSON.stringify(word));
  if (body !== undefined) words.push(pythonOf(body));
  return [
    'from virtual_computers import VirtualComputers',
    '',
    `with VirtualComputers(base_url=${JSON.stringify(`${origin}/api`)}) as vc:`,
    `    ${file === undefined ? `print(vc.request(${words.join(', ')}))` : file.python}`,
  ].join('\n');
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** A value of JSON as Python writes it: strings and numbers are the same. */
function pythonOf(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}: ${pythonOf(field)}`).join(', ')}}`;
}

function apiWords({ method, path, body = {} }: Intent): string[] {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    typeof value === 'string'
      ? ['-f', `${name}=${value}`]
      : ['-F', `${name}=${JSON.stringify(value)}`],
  );
  return ['api', method, path, ...fields];
}

/** A line to copy that uses a new key. */
interface KeyLine {
  readonly name: string;
  readonly text: string;
  readonly copy: string;
}

/** `echo` is part of the shell, so the key is no argument of a program, which other users can see. */
export function keyLines(key: string, base: string): KeyLine[] {
  const header = quote(`Authorization: Bearer ${key}`);
  return [
    { name: 'Key', text: key, copy: 'Copy key' },
    { name: 'curl', text: `echo ${header} | curl -H @- ${base}/projects`, copy: 'Copy curl line' },
    {
      name: 'Command line',
      text: `echo ${quote(key)} | vc login --base-url ${base}`,
      copy: 'Copy vc line',
    },
  ];
}
