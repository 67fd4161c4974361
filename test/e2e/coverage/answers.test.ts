import { expect, it } from 'vitest';
import { Documented } from '../../support/service/requests/documented.js';
import { readAnswers } from '../../support/service/requests/requests.js';

// Runs after the end-to-end tests of both engines; see vitest.config.ts.
it.each(['docker', 'qemu'])('on %s, every answer was as the OpenAPI document says', (engine) => {
  const documented = new Documented();
  const answers = readAnswers(engine);
  console.log(`${engine}: ${answers.length} kinds of answers`);
  const complaints = answers.map((answer) => documented.complaint(answer));
  expect([...new Set(complaints)].filter((each) => each !== undefined)).toEqual([]);
});
