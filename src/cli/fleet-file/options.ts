import { value } from '../framework/define.js';
import { nonEmpty } from '../input/parse.js';

const DEFAULT_FILE = 'computers.yaml';

const file = value('-f, --file <path>', 'the file', nonEmpty, {
  otherwise: DEFAULT_FILE,
  completes: 'file',
});

export const fileOption = {
  ...file,
  read: (raw: Parameters<typeof file.read>[0]) => file.read(raw) ?? DEFAULT_FILE,
};
