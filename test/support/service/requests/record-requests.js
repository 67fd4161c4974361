/**
 * Preloaded into a service under test: appends a line to the file `VC_TEST_REQUESTS` for every
 * successful request and WebSocket, with the client, the method and the path. Answers go into
 * another file, each kind of them once.
 */
import { appendFileSync } from 'node:fs';
import { Server } from 'node:http';
import { recordAnswer } from './record-answers.js';

const file = process.env.VC_TEST_REQUESTS;
const emit = Server.prototype.emit;

function record({ headers, method, url }) {
  const surface = headers['user-agent'] === 'vc' ? 'cli' : 'http';
  appendFileSync(file, `${surface} ${method} ${url.split('?')[0]}\n`);
}

Server.prototype.emit = function (event, request, answer, ...rest) {
  if (event === 'request' || event === 'checkContinue') {
    recordAnswer(request, answer, `${file}.answers`);
    answer.once('finish', () => {
      if (answer.statusCode === 200) record(request);
    });
    // It never finishes by itself.
    answer.once('close', () => {
      const isEvents = answer.getHeader('content-type') === 'text/event-stream';
      if (isEvents && !answer.writableFinished) record(request);
    });
  } else if (event === 'upgrade') {
    // Here `answer` is the socket; a refusal has another status.
    const write = answer.write;
    answer.write = function (chunk, ...more) {
      answer.write = write;
      if (String(chunk).startsWith('HTTP/1.1 101')) record({ ...head(request), method: 'WS' });
      return write.call(this, chunk, ...more);
    };
  }
  return emit.call(this, event, request, answer, ...rest);
};

const head = ({ headers, url }) => ({ headers, url });
