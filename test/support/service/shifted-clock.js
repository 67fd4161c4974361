/**
 * Preloaded into a service under test: shifts its clocks, and nobody else's, by the milliseconds in
 * the file `VC_TEST_CLOCK`, `{"wall": 0, "monotonic": 0}`. Reads the file at the start and at SIGUSR2.
 * The service looks for idle computers every 50 ms; each time, and each time that the clocks are
 * shifted, the file `VC_TEST_CLOCK.checks` has one byte more.
 */
import { appendFileSync, readFileSync } from 'node:fs';

const file = process.env.VC_TEST_CLOCK;
let shift = { wall: 0, monotonic: 0 };

function read() {
  shift = JSON.parse(readFileSync(file, 'utf8'));
  appendFileSync(`${file}.checks`, '-');
}
read();
process.on('SIGUSR2', read);

const RealDate = Date;
globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift.wall);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shift.wall;
  }
};

const monotonic = performance.now.bind(performance);
performance.now = () => monotonic() + shift.monotonic;

const realInterval = setInterval;
globalThis.setInterval = (callback, ms, ...given) => {
  if (!String(callback).includes('auto-stop')) return realInterval(callback, ms, ...given);
  const check = () => {
    callback(...given);
    appendFileSync(`${file}.checks`, '.');
  };
  return realInterval(check, 50);
};
