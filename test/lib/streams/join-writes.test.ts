import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { joinWrites } from '../../../src/lib/streams/join-writes.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('sends what is written in one turn at once, in order', async () => {
  const sent: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      sent.push(chunk);
      done();
    },
    writev: (chunks, done) => {
      sent.push(chunks.map(({ chunk }) => chunk).join('+'));
      done();
    },
  });
  joinWrites(stream);
  for (const chunk of ['a', 'b', 'c']) stream.write(chunk);
  expect(sent).toEqual([]);
  await turn();
  stream.write('d');
  await turn();
  stream.write('e');
  stream.end('f');
  await turn();
  expect(sent).toEqual(['a+b+c', 'd', 'e+f']);
});
