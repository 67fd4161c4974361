import { quote } from '../../api/commands.js';

/** A line to copy that uses a new key. */
export interface KeyLine {
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
