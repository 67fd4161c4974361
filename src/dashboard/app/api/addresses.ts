export const API = '/api';

export function socketUrl(path: string): URL {
  const url = new URL(API + path, location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url;
}
