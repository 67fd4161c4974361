import type { Client } from '../../client/client.js';
import type { HttpResponse } from '../../client/http/transport.js';
import { checkPaged, mediaType, printBody, printHead, readPages } from '../api/answer.js';
import { field, fieldsObject, typedValue } from '../api/fields.js';
import {
  type ApiRequest,
  apiPath,
  fillPlaceholders,
  header,
  inputBody,
  METHODS,
  type Method,
  withQuery,
} from '../api/request.js';
import { UsageError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { choice, defineCommand, flag, list, many, oneOf, value } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';
import { printJson } from '../output/print.js';
import { during } from '../output/progress.js';

export const command = defineCommand({
  name: 'api',
  summary: 'Send a request to the HTTP interface',
  details: [
    'PATH is below the base URL: /projects. In it, a name in braces becomes the id of that computer,',
    '{computer} the id of the only one, and {project} the default project. The method is GET, or POST',
    'with fields or --input; fields of a GET or DELETE, or beside --input, go into the query. JSON can',
    'be filtered with --jq; anything else is streamed to stdout, if that is not a terminal.',
  ].join(' '),
  arguments: { request: many('request', '[METHOD] PATH') },
  options: {
    method: choice('-X, --method <method>', 'HTTP method', METHODS),
    rawField: list('-f, --raw-field <name=value>', 'field with a text; repeatable', field),
    field: list(
      '-F, --field <name=value>',
      'field with a number, true, false, null, @FILE or text; repeatable',
      field,
    ),
    input: value('--input <file>', 'file to send as the body, or - for stdin', nonEmpty),
    header: list('-H, --header <name:value>', 'HTTP header; repeatable', header),
    include: flag('-i, --include', 'print the status line and headers too'),
    paginate: flag('--paginate', 'read all pages of an audit log'),
  },
  examples: [
    { does: 'List the projects', command: 'vc api /projects' },
    {
      does: 'Click in the computer desk',
      command: "vc api '/computers/{desk}/click' -F x=640 -F y=400",
    },
    {
      does: 'Save a screenshot',
      command: "vc api '/computers/{desk}/screenshot' -H 'Accept: image/png' > shot.png",
    },
    {
      does: 'Count the actions in it',
      command: "vc api '/computers/{desk}/actions' --paginate --jq '.actions | length'",
    },
  ],
  async run(context, { request }, options) {
    const { method: given, rawField: raw, field: typed, input, include, paginate } = options;
    const { method: word, path: written } = methodAndPath(request);
    if (given !== undefined && word !== undefined && given !== word) {
      throw new UsageError(`--method: ${given} contradicts ${word}`);
    }
    const hasBody = raw.length + typed.length > 0 || input !== undefined;
    const method = given ?? word ?? (hasBody ? 'POST' : 'GET');
    const { baseUrl } = await context.settings();
    // Checked before names are looked up.
    apiPath(written.replaceAll(/\{[^{}]*\}/g, 'x'), baseUrl.value);
    const values = fieldsObject([
      ...raw.map(({ keys, text }) => ({ keys, value: text })),
      ...(await Promise.all(
        typed.map(async ({ keys, text }) => ({ keys, value: await typedValue(context, text) })),
      )),
    ]);
    if (input !== undefined && method === 'GET') throw new UsageError('--input: GET has no body');
    const inQuery = input !== undefined || method === 'GET' || method === 'DELETE';
    const filled = apiPath(await fillPlaceholders(context, written), baseUrl.value);
    const path = inQuery ? withQuery(filled, values) : filled;
    if (paginate) checkPaged(method, path);
    const body = input === undefined ? undefined : await inputBody(context, input);
    const json = hasBody && !inQuery ? JSON.stringify(values) : null;
    const type =
      method === 'PUT' && body !== undefined ? 'application/octet-stream' : 'application/json';
    const asked: ApiRequest = {
      method,
      path,
      headers: {
        ...(body === undefined && json === null ? {} : { 'content-type': type }),
        ...body?.headers,
        ...Object.fromEntries(options.header),
      },
      body: body?.body ?? json,
    };
    const client = await context.client();
    if (paginate) {
      const pages = readPages(path, async (page) => {
        const answer = await send(context, client, { ...asked, path: page });
        return client.json(await client.checked(answer));
      });
      return void (await printJson(context, await during(context.progress('Reading'), pages)));
    }
    const answer = await during(
      context.progress(`${method} ${path}`),
      send(context, client, asked),
    );
    if (include) await printHead(context, answer);
    await printAnswer(context, client, answer);
  },
});

function methodAndPath(words: readonly string[]): { method?: Method; path: string } {
  const [first = '', second, ...more] = words;
  if (more.length > 0) throw new UsageError('too many arguments: write [METHOD] PATH');
  if (second !== undefined) return { method: oneOf(METHODS)(first.toUpperCase()), path: second };
  const isMethod = METHODS.some((method) => method === first.toUpperCase());
  if (isMethod) throw new UsageError(`${first} is a method: the path is missing`);
  return { path: first };
}

function send({ interrupts }: Context, client: Client, asked: ApiRequest): Promise<HttpResponse> {
  return client.send({ ...asked, signal: interrupts.signal });
}

async function printAnswer(context: Context, client: Client, answer: HttpResponse): Promise<void> {
  await client.checked(answer);
  if (context.globals.quiet) return void answer.body.destroy();
  if (mediaType(answer) !== 'application/json') return printBody(context, answer, client.baseUrl);
  await printJson(context, await client.json(answer));
}
