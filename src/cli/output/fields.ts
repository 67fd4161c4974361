const project = ['id', 'name', 'user_id', 'status', 'computer_count', 'created_at', 'updated_at'];
const key = [
  ...['id', 'name', 'prefix', 'rights', 'project', 'expires_at', 'created_at', 'last_used_at'],
  'created_by',
];
const owner = [
  ...['id', 'name', 'role', 'status', 'max_running', 'running', 'project_count'],
  ...['computer_count', 'created_at', 'created_by'],
];
const action = ['id', 'at', 'action', 'detail', 'key_id', 'key_name', 'outcome', 'ms'];

/** Fields that `--json` prints, as documented. A test compares them with the answers. */
export const fields = {
  computer: [
    ...['id', 'name', 'os', 'ram', 'cpu', 'gpu', 'status', 'status_reason', 'project_id'],
    ...['project_name', 'created_at', 'started_at', 'url', 'engine', 'isolation', 'member'],
    ...['image', 'resolution', 'auto_stop_minutes', 'protected', 'created_by', 'control'],
  ],
  element: ['id', 'role', 'name', 'value', 'states', 'box', 'actions'],
  stats: [
    ...['id', 'name', 'at', 'cpu_percent', 'cpu_seconds', 'cpu', 'memory_used_bytes'],
    ...['memory_total_bytes', 'disk_used_bytes', 'disk_total_bytes'],
  ],
  project,
  projectWithComputers: [...project, 'computers'],
  key,
  createdKey: [...key, 'key'],
  owner,
  createdOwner: [...owner, 'key'],
  member: [
    ...['name', 'engine', 'status', 'detail', 'address', 'architecture', 'groups', 'cpu'],
    ...['memory_used_bytes', 'memory_total_bytes', 'disk_used_bytes', 'disk_total_bytes'],
    'computer_count',
  ],
  action,
  auditEntry: [...action, 'computer_id'],
  job: [
    ...['id', 'command', 'status', 'exit_code', 'pid', 'started_at', 'ended_at', 'output_bytes'],
    'truncated',
  ],
  trajectory: [
    ...['id', 'status', 'started_at', 'started_by', 'ended_at', 'end_reason', 'message', 'steps'],
    ...['pictures', 'bytes'],
  ],
  connection: ['name', 'url', 'has_stream_key', 'created_at'],
  secret: ['name', 'created_at', 'updated_at'],
  image: [
    ...['name', 'engine', 'os', 'kind', 'bytes', 'created_at', 'state', 'recipe_hash'],
    // Templates only.
    ...['key', 'cpu', 'ram', 'resolution'],
  ],
  storedImage: ['engine', 'id', 'name', 'os', 'bytes', 'created_at', 'recipe_hash'],
  template: ['key', 'image', 'ram', 'cpu', 'resolution', 'is_new'],
  me: ['user_id', 'name', 'role', 'key', 'running', 'max_running', 'base_url', 'profile'],
  service: [
    ...['status', 'pid', 'url', 'port', 'version', 'health', 'engines', 'store', 'started_at'],
    ...['uptime_seconds', 'in_background', 'log', 'state_directory', 'options'],
  ],
  profile: ['name', 'base_url', 'project', 'current'],
  alias: ['name', 'command'],
} as const satisfies Record<string, readonly string[]>;
