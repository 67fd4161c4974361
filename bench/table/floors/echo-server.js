/** The least that a server on Node.js does: a fixed answer of about the size of a computer. */
import { createServer } from 'node:http';

const ANSWER = JSON.stringify({ text: 'x'.repeat(800) });
const HEADERS = { 'content-type': 'application/json', 'content-length': ANSWER.length };

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, HEADERS).end(ANSWER);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
