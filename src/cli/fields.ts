/**
 * Fields of what `--json` prints, by the thing: a documented contract. A test compares them with
 * what the service answers.
 */
export const fields = {
  computer: [
    ...['id', 'name', 'os', 'ram', 'cpu', 'gpu', 'status', 'status_reason', 'project_id'],
    ...['project_name', 'created_at', 'started_at', 'url', 'engine', 'isolation', 'image'],
    ...['resolution', 'auto_stop_minutes', 'protected'],
  ],
  project: ['id', 'name', 'user_id', 'status', 'computer_count', 'created_at', 'updated_at'],
  projectWithComputers: [
    ...['id', 'name', 'user_id', 'status', 'computer_count', 'created_at', 'updated_at'],
    'computers',
  ],
  key: ['id', 'name', 'created_at', 'last_used_at'],
  createdKey: ['id', 'name', 'created_at', 'last_used_at', 'key'],
  action: ['id', 'at', 'action', 'detail', 'key_id', 'outcome', 'ms'],
  job: [
    ...['id', 'command', 'status', 'exit_code', 'pid', 'started_at', 'ended_at', 'output_bytes'],
    'truncated',
  ],
  connection: ['name', 'url', 'has_stream_key', 'created_at'],
  image: [
    ...['name', 'engine', 'os', 'kind', 'bytes', 'created_at', 'state', 'recipe_hash'],
    // Of a template: its key and the shape of the computers that it is for.
    ...['key', 'cpu', 'ram', 'resolution'],
  ],
  storedImage: ['engine', 'id', 'name', 'os', 'bytes', 'created_at', 'recipe_hash'],
  template: ['key', 'image', 'ram', 'cpu', 'resolution', 'is_new'],
  me: ['user_id', 'name', 'key', 'running', 'max_running', 'base_url', 'profile'],
  profile: ['name', 'base_url', 'project', 'current'],
} as const satisfies Record<string, readonly string[]>;
