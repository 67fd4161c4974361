/** Paths on a 16 by 16 grid. */
const PATHS = {
  computers: 'M2 3.5h12v7.5H2zM5.5 13.5h5M8 11v2.5',
  overview: 'M2.5 2.5h4v7h-4zM9.5 2.5h4v4h-4zM2.5 12.5h4v1h-4zM9.5 9.5h4v4h-4z',
  projects: 'M2 4.5V12.5h12V5.5H8L6.5 3.5H2Z',
  keys: 'M9.5 6.5a3 3 0 1 0-2.2 2.9L8.5 10.5H10V12h1.5v1.5H14V11.3L9.4 7.2',
  activity: 'M1.5 8H4l2-5 3.5 10L11.5 8h3',
  streams:
    'M5 5.8a3.2 3.2 0 0 0 0 4.4M11 5.8a3.2 3.2 0 0 1 0 4.4M3 3.5a6.4 6.4 0 0 0 0 9M13 3.5a6.4 6.4 0 0 1 0 9M8 8h.01',
  webhooks: 'M7 3.500H2.500v10h10V9M9.500 2.500h4v4M13.500 2.500 7.500 8.500',
  images: 'M2.5 5 8 2.2 13.5 5 8 7.8ZM2.5 8 8 10.8 13.5 8M2.5 11 8 13.8 13.5 11',
  volumes: 'M2.5 4.500c0-2.500 11-2.500 11 0s-11 2.500-11 0v7c0 2.500 11 2.500 11 0v-7',
  usage: 'M2.5 13.5h11M4 11V8M8 11V3M12 11V6',
  hosts: 'M2.5 2.5h11v4.500h-11zM2.5 9h11v4.500h-11zM5 4.750h.01M5 11.250h.01M8 4.750h3M8 11.250h3',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  check: 'M3 8.5 6.5 12 13 4.5',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8Z',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  start: 'M5 3.2v9.6L12.8 8Z',
  stop: 'M4 4h8v8H4Z',
  restart: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  trash: 'M2.5 4.5h11M6 4.5V2.5h4v2M4 4.5l.7 9h6.6l.7-9',
  screen: 'M2 3.5h12v7.5H2zM5.5 13.5h5',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.5h3',
  files: 'M4 2.5h5l3 3v8H4ZM9 2.5v3h3',
  folder: 'M2 4.5V12.5h12V5.5H8L6.5 3.5H2Z',
  settings: 'M2 5h6M11 5h3M2 11h3M8 11h6M9.5 3.5v3M6.5 9.5v3',
  clipboard: 'M3.5 3.5h9v10.5h-9ZM6 3.5v-1.5h4v1.5',
  specialKeys: 'M2.5 2.5h11v11h-11ZM6 10.500v-5M6 8l3.500-2.500M7 7.500l2.500 3',
  keyboard: 'M1.5 4.5h13v7h-13ZM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5 9.5h6',
  fullscreen: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  camera: 'M2 5h3l1-1.5h4L11 5h3v7.5H2ZM8 10.7a2.1 2.1 0 1 0 0-4.2 2.1 2.1 0 0 0 0 4.2',
  record: 'M8 12.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9',
  sound: 'M2.5 6v4H5l3.5 3V3L5 6ZM11 6a3 3 0 0 1 0 4M12.8 4a6 6 0 0 1 0 8',
  fork: 'M4.5 6v4M4.5 6a2 2 0 1 0 0-.01M4.5 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4M11.5 6a2 2 0 1 0 0-.01M11.5 6c0 3-7 2-7 4',
  upload: 'M8 10.5V3M5 5.5 8 2.7l3 2.8M2.5 10.5v3h11v-3',
  download: 'M8 2.7v7.5M5 7.5l3 2.8 3-2.8M2.5 10.5v3h11v-3',
  tiles: 'M2.5 2.5h4.5V7H2.5zM9 2.5h4.5V7H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  table: 'M2 3.5h12v9H2zM2 6.5h12M2 9.5h12',
  user: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8M2.8 14c.4-3 2.6-4.3 5.2-4.3s4.8 1.3 5.2 4.3',
  hand: 'M5 9V4.200M7 8V2.800M9 8V3.200M11 8.500V4.800M5 9 3.6 7.8 2.6 8.8 5.5 13.500h4.500l1-2.500V8',
  warning: 'M8 2.5 14.5 13.500h-13ZM8 6.500v3.500M8 12h.01',
  pause: 'M5.500 3.500v9M10.500 3.500v9',
  steps: 'M3 4h.01M6 4h7.500M3 8h.01M6 8h7.500M3 12h.01M6 12h7.500',
  right: 'M6 3.500 10.500 8 6 12.500',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  up: 'M8 13V3.500M4 7.500l4-4 4 4',
  search: 'M7 11.500a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9M10.3 10.3 14 14',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a text; alone it needs a label on its button. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
