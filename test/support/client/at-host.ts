import { request } from 'node:http';

export interface HostAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read single fields of answers
  readonly json: any;
}

/** Sends a request to a service with another Host, which `fetch` does not allow. */
export function askAtHost(
  url: string | URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<HostAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0 } = answer;
        resolve({ status, headers: answer.headers, json: text === '' ? {} : JSON.parse(text) });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The cookie that an answer sets. */
export function cookieOf({ headers }: Pick<HostAnswer, 'headers'>): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}
