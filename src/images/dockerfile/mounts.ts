import { posix } from 'node:path';
import { mistake, type Place } from './errors.js';

/** A `--mount` of RUN. JSON. */
export interface Mount {
  /** `cache` and `tmpfs` are directories that are removed after the step. */
  readonly type: 'secret' | 'cache' | 'tmpfs';
  /** Of a secret. */
  readonly id: string;
  /** Absolute; empty for a secret that is only a variable. */
  readonly target: string;
  /** The variable that has a secret's value. */
  readonly env: string | undefined;
  readonly required: boolean;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const INSTEAD = new Map([
  ['bind', 'copy the files with COPY'],
  ['ssh', 'pass a key as a secret: --mount=type=secret,id=key'],
]);

const KEYS: Readonly<Record<Mount['type'], readonly string[]>> = {
  secret: ['id', 'target', 'dst', 'destination', 'env', 'required', 'mode', 'uid', 'gid'],
  cache: ['id', 'target', 'dst', 'destination', 'sharing', 'mode', 'uid', 'gid'],
  tmpfs: ['target', 'dst', 'destination', 'size'],
};

/** Reads `type=secret,id=token,required`. */
export function readMount(place: Place, text: string): Mount {
  const fields = new Map(
    text.split(',').map((field) => {
      const [, key = field, value = 'true'] = /^([^=]*)=(.*)$/s.exec(field) ?? [];
      return [key, value] as const;
    }),
  );
  const type = fields.get('type') ?? 'bind';
  if (type !== 'secret' && type !== 'cache' && type !== 'tmpfs') {
    throw mistake(place, `--mount=type=${type} is not supported`, INSTEAD.get(type));
  }
  const unknown = [...fields.keys()].find((key) => key !== 'type' && !KEYS[type].includes(key));
  if (unknown !== undefined) {
    throw mistake(place, `--mount=type=${type} does not support ${unknown}`);
  }
  const number = (key: string, otherwise: string, base: number) => {
    const value = fields.get(key) ?? otherwise;
    const parsed = Number.parseInt(value, base);
    if (!(base === 8 ? /^[0-7]{1,5}$/ : /^\d{1,10}$/).test(value)) {
      throw mistake(place, `--mount has no valid ${key}: ${value}`);
    }
    return parsed;
  };
  const env = fields.get('env');
  const given = fields.get('target') ?? fields.get('dst') ?? fields.get('destination');
  const id = fields.get('id') ?? (type === 'secret' ? posix.basename(given ?? '') : '');
  const isSecret = type === 'secret';
  const target = given ?? (isSecret && env === undefined ? `/run/secrets/${id}` : '');
  if (isSecret && !/^[\w.-]{1,128}$/.test(id)) throw mistake(place, 'the secret has no valid id');
  if (target === '' && !isSecret) throw mistake(place, `--mount=type=${type} has no target`);
  return {
    type,
    id,
    target: target === '' ? '' : posix.normalize(target.startsWith('/') ? target : `/${target}`),
    env,
    required: fields.get('required') === 'true',
    mode: number('mode', isSecret ? '0400' : '0755', 8),
    uid: number('uid', '0', 10),
    gid: number('gid', '0', 10),
  };
}
