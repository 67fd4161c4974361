/** One recorded call of every member of every dialect, and what it asks for. */
export interface Recorded {
  readonly dialect: string;
  readonly member: string;
  readonly item: object | string;
  readonly actions: readonly object[];
}

const at = { x: 300, y: 200 };

type Rows = Readonly<Record<string, readonly [input: object, ...actions: object[]]>>;

const click = (button: string, clicks: number, more: object = {}) => ({
  does: 'click',
  at,
  button,
  clicks,
  ...more,
});

const first: Rows = {
  screenshot: [{}, { does: 'screenshot' }],
  cursor_position: [{}, { does: 'cursor' }],
  left_click: [{ coordinate: [300, 200], text: 'ctrl' }, click('left', 1, { keys: ['ctrl'] })],
  right_click: [{ coordinate: [300, 200] }, click('right', 1)],
  middle_click: [{}, { does: 'click', button: 'middle', clicks: 1 }],
  double_click: [{ coordinate: [300, 200] }, click('left', 2)],
  left_click_drag: [
    { start_coordinate: [100, 100], coordinate: [300, 200] },
    { does: 'drag', points: [{ x: 100, y: 100 }, at] },
  ],
  mouse_move: [{ coordinate: [300, 200] }, { does: 'move', at }],
  type: [{ text: 'Hello' }, { does: 'type', text: 'Hello' }],
  key: [{ text: 'ctrl+s Return' }, { does: 'key', key: 'ctrl+s' }, { does: 'key', key: 'Return' }],
};

const second: Rows = {
  ...first,
  triple_click: [{ coordinate: [300, 200] }, click('left', 3)],
  left_mouse_down: [{}, { does: 'mouse_down' }],
  left_mouse_up: [{}, { does: 'mouse_up' }],
  hold_key: [
    { text: 'shift', duration: 0.2 },
    { does: 'key', key: 'shift', seconds: 0.2 },
  ],
  wait: [{ duration: 0.1 }, { does: 'wait', seconds: 0.1 }],
  scroll: [
    { scroll_direction: 'down', scroll_amount: 2, coordinate: [300, 200], text: 'shift' },
    { does: 'scroll', direction: 'down', steps: 2, at, keys: ['shift'] },
  ],
};

const third: Rows = {
  ...second,
  zoom: [{ region: [0, 0, 300, 200] }, { does: 'zoom', from: { x: 0, y: 0 }, to: at }],
};

const shellTools: Rows = {
  bash: [{ command: 'echo hi' }, { does: 'bash', command: 'echo hi' }],
  str_replace_based_edit_tool: [
    { command: 'view', path: '/tmp/a', view_range: [1, -1] },
    { does: 'edit', edit: { command: 'view', path: '/tmp/a', view_range: [1, -1] } },
  ],
};

const openai: Rows = {
  click: [{ button: 'wheel', ...at, keys: ['CTRL'] }, click('middle', 1, { keys: ['CTRL'] })],
  double_click: [{ ...at }, click('left', 2)],
  drag: [
    { path: [{ x: 100, y: 100 }, { x: 5, y: 6 }, at] },
    { does: 'drag', points: [{ x: 100, y: 100 }, { x: 5, y: 6 }, at] },
  ],
  move: [
    { ...at, keys: null },
    { does: 'move', at },
  ],
  scroll: [
    { ...at, scroll_x: 0, scroll_y: -200 },
    { does: 'scroll_by', at, x: 0, y: -200 },
  ],
  keypress: [{ keys: ['CTRL', 'SHIFT', 'T'] }, { does: 'key', key: 'CTRL+SHIFT+T' }],
  type: [{ text: 'hello' }, { does: 'type', text: 'hello' }],
  wait: [{}, { does: 'wait', seconds: 2 }],
  screenshot: [{}],
};

const enter = { does: 'key', key: 'Return' };
const gemini: Rows = {
  click: [at, click('left', 1)],
  click_at: [at, click('left', 1)],
  double_click: [at, click('left', 2)],
  triple_click: [at, click('left', 3)],
  middle_click: [at, click('middle', 1)],
  right_click: [at, click('right', 1)],
  mouse_down: [at, { does: 'mouse_down', at }],
  mouse_up: [at, { does: 'mouse_up', at }],
  move: [at, { does: 'move', at }],
  hover_at: [at, { does: 'move', at }],
  type: [{ text: 'hi', press_enter: true }, { does: 'type', text: 'hi' }, enter],
  type_text_at: [
    { ...at, text: 'hi' },
    click('left', 1),
    { does: 'key', key: 'ctrl+a' },
    { does: 'key', key: 'BackSpace' },
    { does: 'type', text: 'hi' },
    enter,
  ],
  drag_and_drop: [
    { start_x: 100, start_y: 100, end_x: 300, end_y: 200 },
    { does: 'drag', points: [{ x: 100, y: 100 }, at] },
  ],
  wait: [{ seconds: 0.1 }, { does: 'wait', seconds: 0.1 }],
  wait_5_seconds: [{}, { does: 'wait', seconds: 5 }],
  press_key: [{ key: 'Enter' }, { does: 'key', key: 'Enter' }],
  key_down: [{ key: 'shift' }, { does: 'key_down', key: 'shift' }],
  key_up: [{ key: 'shift' }, { does: 'key_up', key: 'shift' }],
  hotkey: [{ keys: ['ctrl', 'a'] }, { does: 'key', key: 'ctrl+a' }],
  key_combination: [{ keys: 'Control+A' }, { does: 'key', key: 'Control+A' }],
  take_screenshot: [{}],
  scroll: [
    { ...at, direction: 'down' },
    { does: 'scroll_by', at, x: 0, y: 300 },
  ],
  scroll_at: [
    { ...at, direction: 'left', magnitude: 100 },
    { does: 'scroll_by', at, unit: 'thousandths', x: -100, y: 0 },
  ],
  scroll_document: [
    { direction: 'up' },
    { does: 'scroll_by', at: { x: 500, y: 500 }, unit: 'thousandths', x: 0, y: -800 },
  ],
  go_back: [{}, { does: 'key', key: 'alt+Left' }],
  go_forward: [{}, { does: 'key', key: 'alt+Right' }],
};

const qwen: Rows = {
  key: [{ keys: ['ctrl', 'c'] }, { does: 'key', key: 'ctrl+c' }],
  type: [{ text: 'hi' }, { does: 'type', text: 'hi' }],
  mouse_move: [{ coordinate: [300, 200] }, { does: 'move', at }],
  left_click: [{ coordinate: [300, 200] }, click('left', 1)],
  left_click_drag: [{ coordinate: [300, 200] }, { does: 'drag', points: [at] }],
  right_click: [{ coordinate: [300, 200] }, click('right', 1)],
  middle_click: [{ coordinate: [300, 200] }, click('middle', 1)],
  double_click: [{ coordinate: [300, 200] }, click('left', 2)],
  triple_click: [{ coordinate: [300, 200] }, click('left', 3)],
  scroll: [{ pixels: 200 }, { does: 'scroll_by', x: 0, y: -200 }],
  hscroll: [{ pixels: 200 }, { does: 'scroll_by', x: 200, y: 0 }],
  wait: [{ time: 0.1 }, { does: 'wait', seconds: 0.1 }],
  terminate: [{ status: 'success' }],
  answer: [{ text: 'done' }],
};

const uiTars: Readonly<Record<string, readonly [text: string, ...actions: object[]]>> = {
  click: ["click(start_box='(300,200)')", click('left', 1)],
  left_double: ["left_double(start_box='<|box_start|>(300,200)<|box_end|>')", click('left', 2)],
  right_single: ["right_single(start_box='[290, 190, 310, 210]')", click('right', 1)],
  drag: [
    "drag(start_box='(100,100)', end_box='(300,200)')",
    { does: 'drag', points: [{ x: 100, y: 100 }, at] },
  ],
  hotkey: ["hotkey(key='ctrl c')", { does: 'key', key: 'ctrl+c' }],
  type: ["type(content='it\\'s\\n')", { does: 'type', text: "it's\n" }],
  scroll: [
    "scroll(start_box='(300,200)', direction='down')",
    { does: 'scroll', at, direction: 'down', steps: 5 },
  ],
  wait: ['wait()', { does: 'wait', seconds: 5 }],
  finished: ["finished(content='done')"],
  call_user: ['call_user()'],
};

function rows(
  dialect: string,
  table: Rows,
  item: (member: string, input: object) => object,
): Recorded[] {
  return Object.entries(table).map(([member, [input, ...actions]]) => ({
    dialect,
    member,
    actions,
    item: item(member, input),
  }));
}

const toolUse = (id: string, name: string, input: object, more: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
  caller: { type: 'direct' },
  ...more,
});

export const recorded: readonly Recorded[] = [
  ...rows('anthropic', third, (name, input) =>
    toolUse(`toolu_${name}`, name, input, { toolset_name: 'computer' }),
  ),
  ...rows('anthropic', shellTools, (name, input) => toolUse(`toolu_${name}`, name, input)),
  ...(
    [
      ['anthropic-20251124', third],
      ['anthropic-20250124', second],
      ['anthropic-20241022', first],
    ] as const
  ).flatMap(([dialect, table]) =>
    rows(dialect, table, (action, input) =>
      toolUse(`${dialect}_${action}`, 'computer', { action, ...input }),
    ),
  ),
  ...rows('openai', openai, (type, fields) => ({
    type: 'computer_call',
    id: 'cu_1',
    call_id: `call_${type}`,
    status: 'completed',
    pending_safety_checks: [],
    actions: [{ type, ...fields }],
  })),
  ...rows('openai-preview', openai, (type, fields) => ({
    type: 'computer_call',
    id: 'cu_2',
    call_id: `preview_${type}`,
    status: 'completed',
    pending_safety_checks: [],
    action: { type, ...fields },
  })),
  ...rows('gemini', gemini, (name, input) => ({
    type: 'function_call',
    id: `step_${name}`,
    name,
    arguments: { ...input, intent: 'to test it' },
  })),
  ...rows('gemini-generate-content', gemini, (name, args) => ({
    functionCall: { id: `part_${name}`, name, args },
  })),
  ...rows('qwen', qwen, (action, input) => ({
    id: `chat_${action}`,
    type: 'function',
    function: { name: 'computer_use', arguments: JSON.stringify({ action, ...input }) },
  })),
  ...Object.entries(uiTars).map(([member, [text, ...actions]]) => ({
    dialect: 'ui-tars',
    member,
    actions,
    item: `Thought: I see it.\nAction: ${text}`,
  })),
];
