import type { Element, Elements } from '../../contract/actions/actions.js';
import { ELEMENT_ID } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import { parseJson } from '../../lib/json/parse.js';
import { removeUnsafe } from '../../lib/text/printable.js';

/** The roles of AT-SPI by number; `button` is what later versions call its push button. */
const ROLES: readonly string[] = [
  'invalid,accelerator label,alert,animation,arrow,calendar,canvas,check box,check menu item',
  'color chooser,column header,combo box,date editor,desktop icon,desktop frame,dial,dialog',
  'directory pane,drawing area,file chooser,filler,focus traversable,font chooser,frame,glass pane',
  'html container,icon,image,internal frame,label,layered pane,list,list item,menu,menu bar,menu item',
  'option pane,page tab,page tab list,panel,password text,popup menu,progress bar,button',
  'radio button,radio menu item,root pane,row header,scroll bar,scroll pane,separator,slider',
  'spin button,split pane,status bar,table,table cell,table column header,table row header',
  'tearoff menu item,terminal,text,toggle button,tool bar,tool tip,tree,tree table,unknown,viewport',
  'window,extended,header,footer,paragraph,ruler,application,autocomplete,editbar,embedded,entry',
  'chart,caption,document frame,heading,page,section,redundant object,form,link',
  'input method window,table row,tree item,document spreadsheet,document presentation,document text',
  'document web,document email,comment,list box,grouping,image map,notification,info bar,level bar',
  'title bar,block quote,audio,video,definition,article,landmark,log,marquee,math,rating,timer',
  'static,math fraction,math root,subscript,superscript,description list,description term',
  'description value,footnote,content deletion,content insertion,mark,suggestion,button menu',
].flatMap((line) => line.split(','));

/** The states of AT-SPI that tell how to use an element, by the number of their bit. */
const STATES: readonly (readonly [bit: number, name: string])[] = [
  ...([
    [1, 'active'],
    [3, 'busy'],
    [4, 'checked'],
    [7, 'editable'],
    [9, 'expandable'],
  ] as const),
  ...([
    [10, 'expanded'],
    [11, 'focusable'],
    [12, 'focused'],
    [16, 'modal'],
  ] as const),
  ...([
    [17, 'multi-line'],
    [18, 'multiselectable'],
    [20, 'pressed'],
    [22, 'selectable'],
  ] as const),
  ...([
    [23, 'selected'],
    [32, 'indeterminate'],
    [33, 'required'],
    [36, 'invalid'],
  ] as const),
  ...([
    [39, 'default'],
    [40, 'visited'],
    [41, 'checkable'],
    [42, 'has-popup'],
  ] as const),
  ...([[43, 'read-only']] as const),
];
/** Of an element that can be used. */
const SENSITIVE = 24;

/** The names of the bits that are set; `disabled` for what cannot be used. */
function statesOf(bits: number): string[] {
  const has = (bit: number) => Math.floor(bits / 2 ** bit) % 2 === 1;
  const names = STATES.filter(([bit]) => has(bit)).map(([, name]) => name);
  return has(SENSITIVE) ? names : [...names, 'disabled'];
}

/** What the program in the guest keeps to; a guest may not. */
const MOST = { name: 200, value: 1000, action: 40, actions: 8, pixels: 32_768 } as const;

/** Parses the line of the program. Throws ApiError `unsupported` or `guest_failed`. */
export function parseElements(line: string, most: number): Elements {
  const told = parseJson(line);
  if (!isRecord(told)) throw damaged();
  if (told.error === 'none') throw noTree();
  const { elements, truncated } = told;
  if (!Array.isArray(elements) || typeof truncated !== 'boolean') throw damaged();
  return {
    elements: elements.slice(0, most).map(parseRow),
    truncated: truncated || elements.length > most,
  };
}

function parseRow(row: unknown): Element {
  if (!Array.isArray(row)) throw damaged();
  const [id, role, states, name, value, box, actions] = row as readonly unknown[];
  const isValid =
    typeof id === 'string' &&
    ELEMENT_ID.test(id) &&
    isInteger(role, 0, 1e9) &&
    isInteger(states, 0, 2 ** 45) &&
    typeof name === 'string' &&
    (value === null || typeof value === 'string') &&
    isBox(box) &&
    isTexts(actions);
  if (!isValid) throw damaged();
  return {
    id,
    role: ROLES[role] ?? 'unknown',
    name: clean(name, MOST.name),
    ...(value === null ? {} : { value: clean(value, MOST.value, '\n') }),
    states: statesOf(states),
    box,
    actions: actions.slice(0, MOST.actions).map((each) => clean(each, MOST.action)),
  };
}

/** A text without control characters and those that change the direction of others. */
function clean(text: string, most: number, keep?: '\n'): string {
  const lines = text
    .slice(0, 2 * most)
    .split('\n')
    .map(removeUnsafe);
  return lines
    .join(keep ?? ' ')
    .slice(0, most)
    .toWellFormed();
}

function isBox(value: unknown): value is [number, number, number, number] {
  return (
    Array.isArray(value) &&
    value.length === 4 &&
    value.every((each, at) => isInteger(each, at < 2 ? 0 : 1, MOST.pixels))
  );
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** Anything else cannot be shown: an object may have a `toString` that is no function. */
function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The image has no accessibility bus, or no program to ask it. */
export function noTree(): ApiError {
  return new ApiError(
    'unsupported',
    'This computer does not describe the elements of its screen.',
    {
      remedy:
        'Use screenshots, or a new computer with the image linux; if that is older: vc image build linux',
    },
  );
}

function damaged(): ApiError {
  return new ApiError('guest_failed', 'The computer did not list the elements of its screen.');
}
