/*
 * What a program in the computer sees of the recorded calls, and what their results have: texts, or
 * the sizes of pictures. The screen has 1280x800 pixels, and the pointer is at `HOME` before.
 */

export const HOME = { x: 640, y: 420 } as const;

export interface Expected {
  /** As `Seen.happened`. */
  readonly happened: readonly string[];
  /** Texts, and sizes of pictures as `1280x800`. */
  readonly answer: readonly string[];
  /** Action of the service before and after the call, which is half of a pair. */
  readonly before?: readonly [action: string, body: object];
  readonly after?: readonly [action: string, body: object];
  /** Shortest and longest time of a wait or of held keys, in milliseconds. */
  readonly lasts?: readonly [least: number, most: number];
  /** A point that a drag goes through. */
  readonly through?: string;
}

type Table = Readonly<Record<string, Expected>>;

const home = `${HOME.x},${HOME.y}`;
const SCREEN = ['1280x800'];
const ofText = (...happened: string[]): Expected => ({ happened, answer: ['OK'] });
const ofPicture = (...happened: string[]): Expected => ({ happened, answer: SCREEN });

const first: Table = {
  screenshot: { happened: [], answer: SCREEN },
  cursor_position: { happened: [], answer: ['X=640, Y=420'] },
  left_click: ofText('move 300,200', 'click left 300,200 +ctrl'),
  right_click: ofText('move 300,200', 'click right 300,200'),
  middle_click: ofText(`click middle ${home}`),
  double_click: ofText('move 300,200', 'click left x2 300,200'),
  left_click_drag: ofText('move 100,100', 'drag left 100,100 > 300,200'),
  mouse_move: ofText('move 300,200'),
  type: ofText('type Hello'),
  key: ofText('key ctrl+s', 'key Return'),
};

const second: Table = {
  ...first,
  triple_click: ofText('move 300,200', 'click left x3 300,200'),
  left_mouse_down: { ...ofText(`press left ${home}`), after: ['mouse-up', {}] },
  left_mouse_up: { ...ofText(`release left ${home}`), before: ['mouse-down', {}] },
  hold_key: { ...ofText('down shift', 'up shift'), lasts: [190, 2000] },
  wait: { ...ofText(), lasts: [90, 2000] },
  scroll: ofText('move 300,200', 'wheel down x2 300,200 +shift'),
};

const third: Table = { ...second, zoom: { happened: [], answer: ['300x200'] } };

const openai: Table = {
  click: ofPicture('move 300,200', 'click middle 300,200 +ctrl'),
  double_click: ofPicture('move 300,200', 'click left x2 300,200'),
  drag: {
    ...ofPicture('move 100,100', 'drag left 100,100 > 300,200'),
    through: '5,6',
  },
  move: ofPicture('move 300,200'),
  scroll: ofPicture('move 300,200', 'wheel up x2 300,200'),
  keypress: ofPicture('key ctrl+shift+T'),
  type: ofPicture('type hello'),
  wait: { ...ofPicture(), lasts: [1990, 4000] },
  screenshot: ofPicture(),
};

/** 300, 200 in thousandths. */
const at = '384,160';
const PAGE = '{"url":"about:blank"}';
const ofPage = (...happened: string[]): Expected => ({ happened, answer: [...SCREEN, PAGE] });

const gemini: Table = {
  click: ofPage(`move ${at}`, `click left ${at}`),
  click_at: ofPage(`move ${at}`, `click left ${at}`),
  double_click: ofPage(`move ${at}`, `click left x2 ${at}`),
  triple_click: ofPage(`move ${at}`, `click left x3 ${at}`),
  middle_click: ofPage(`move ${at}`, `click middle ${at}`),
  right_click: ofPage(`move ${at}`, `click right ${at}`),
  mouse_down: { ...ofPage(`move ${at}`, `press left ${at}`), after: ['mouse-up', {}] },
  mouse_up: { ...ofPage(`move ${at}`, `release left ${at}`), before: ['mouse-down', HOME] },
  move: ofPage(`move ${at}`),
  hover_at: ofPage(`move ${at}`),
  type: ofPage('type hi', 'key Return'),
  type_text_at: ofPage(
    `move ${at}`,
    `click left ${at}`,
    'key ctrl+a',
    'key BackSpace',
    'type hi',
    'key Return',
  ),
  drag_and_drop: ofPage('move 128,80', `drag left 128,80 > ${at}`),
  wait: { ...ofPage(), lasts: [90, 2000] },
  wait_5_seconds: { ...ofPage(), lasts: [4990, 8000] },
  press_key: ofPage('key Return'),
  key_down: { ...ofPage('down shift'), after: ['key-up', { key: 'shift' }] },
  key_up: { ...ofPage('up shift'), before: ['key-down', { key: 'shift' }] },
  hotkey: ofPage('key ctrl+a'),
  key_combination: ofPage('key ctrl+a'),
  take_screenshot: ofPage(),
  // A step of the wheel is 100 pixels.
  scroll: ofPage(`move ${at}`, `wheel down x3 ${at}`),
  scroll_at: ofPage(`move ${at}`, `wheel left ${at}`),
  scroll_document: ofPage('move 640,400', 'wheel up x6 640,400'),
  go_back: ofPage('key alt+Left'),
  go_forward: ofPage('key alt+Right'),
};

const qwen: Table = {
  key: ofPicture('key ctrl+c'),
  type: ofPicture('type hi'),
  mouse_move: ofPicture(`move ${at}`),
  left_click: ofPicture(`move ${at}`, `click left ${at}`),
  left_click_drag: ofPicture(`drag left ${home} > ${at}`),
  right_click: ofPicture(`move ${at}`, `click right ${at}`),
  middle_click: ofPicture(`move ${at}`, `click middle ${at}`),
  double_click: ofPicture(`move ${at}`, `click left x2 ${at}`),
  triple_click: ofPicture(`move ${at}`, `click left x3 ${at}`),
  scroll: ofPicture(`wheel up x2 ${home}`),
  hscroll: ofPicture(`wheel right x2 ${home}`),
  wait: { ...ofPicture(), lasts: [90, 2000] },
  terminate: ofPicture(),
  answer: ofPicture(),
};

const uiTars: Table = {
  click: ofPicture(`move ${at}`, `click left ${at}`),
  left_double: ofPicture(`move ${at}`, `click left x2 ${at}`),
  right_single: ofPicture(`move ${at}`, `click right ${at}`),
  drag: ofPicture('move 128,80', `drag left 128,80 > ${at}`),
  hotkey: ofPicture('key ctrl+c'),
  type: ofPicture("type it's", 'key Return'),
  scroll: ofPicture(`move ${at}`, `wheel down x5 ${at}`),
  wait: { ...ofPicture(), lasts: [4990, 8000] },
  finished: ofPicture(),
  call_user: ofPicture(),
};

/** Of each member of each dialect, apart from the shell and the editor. */
export const seen: Readonly<Record<string, Table>> = {
  anthropic: third,
  'anthropic-20251124': third,
  'anthropic-20250124': second,
  'anthropic-20241022': first,
  openai,
  'openai-preview': openai,
  gemini,
  'gemini-generate-content': gemini,
  qwen,
  'ui-tars': uiTars,
};
