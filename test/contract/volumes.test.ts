import { describe, expect, it } from 'vitest';
import { CreateComputer } from '../../src/contract/resources.js';

const volumes = (given: unknown) => {
  const { data, error } = CreateComputer.safeParse({ name: 'x', volumes: given });
  return data?.volumes ?? error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
};

describe('the volumes of a new computer', () => {
  it('are texts as of docker run, or objects', () => {
    const data = { name: 'data', path: '/data', read_only: false };
    expect(volumes(['data:/data'])).toEqual([data]);
    expect(volumes([{ name: 'data', path: '/data' }])).toEqual([data]);
    expect(volumes(['data:/data:rw', 'more:/srv/more.d:ro'])).toEqual([
      data,
      { name: 'more', path: '/srv/more.d', read_only: true },
    ]);
    expect(volumes(['data:/home/user/data', 'b:/home/user/data2'])).toHaveLength(2);
  });

  it.each([
    [['data'], /"data:\/data"/],
    [['data:/data:xx'], /"data:\/data"/],
    [[7], /"data:\/data"/],
    [['../x:/data'], /name.*must be the name of a volume/],
    [['data:data'], /path.*absolute path/],
    [['data:/a/../b'], /path.*must not contain/],
    [['data:/a//b'], /path.*absolute path/],
    [['data:/a b'], /path.*absolute path/],
    [['data:/a/'], /path.*absolute path/],
    [['data:/etc'], /path.*directory of the system/],
    [['data:/home/user'], /path.*directory of the system/],
    [['data:/proc/x'], /path.*directory of the system/],
    [['data:/run/vc'], /path.*directory of the system/],
    [[{ name: 'data', path: '/data', read_only: 'yes' }], /\{name, path, read_only\}/],
    [['data:/data', 'data:/other'], /twice/],
    [['a:/data', 'b:/data/sub'], /twice/],
    [['a:/data/sub', 'b:/data'], /twice/],
    [Array.from({ length: 17 }, (_, at) => `v${at}:/v${at}`), /at most 16/],
    ['data:/data', /list of volumes/],
  ])('refuses %j', (given, message) => {
    expect(volumes(given)).toEqual([expect.stringMatching(message)]);
  });
});
