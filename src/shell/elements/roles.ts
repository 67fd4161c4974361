/** The roles of AT-SPI by number; `button` is what later versions call its push button. */
export const ROLES: readonly string[] = [
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
export function statesOf(bits: number): string[] {
  const has = (bit: number) => Math.floor(bits / 2 ** bit) % 2 === 1;
  const names = STATES.filter(([bit]) => has(bit)).map(([, name]) => name);
  return has(SENSITIVE) ? names : [...names, 'disabled'];
}
