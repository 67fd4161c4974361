/**
 * The schema, step by step. Never change a released step; add a new one. `PRAGMA user_version` is the
 * number of applied steps.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE service (id TEXT PRIMARY KEY, created_at TEXT NOT NULL) STRICT;

  CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    max_running INTEGER,
    created_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    last_used_at TEXT
  ) STRICT;

  CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    deleting INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (owner_id, name)
  ) STRICT;

  CREATE TABLE computers (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects(id),
    owner_id TEXT NOT NULL REFERENCES owners(id),
    name TEXT NOT NULL,
    os TEXT NOT NULL,
    ram INTEGER NOT NULL,
    cpu INTEGER NOT NULL,
    gpu TEXT NOT NULL,
    image TEXT NOT NULL,
    engine TEXT NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    auto_stop_minutes INTEGER,
    status TEXT NOT NULL,
    status_reason TEXT,
    private_key TEXT NOT NULL,
    public_key TEXT NOT NULL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    UNIQUE (project_id, name)
  ) STRICT;
  CREATE INDEX computers_by_owner ON computers (owner_id, status);
  `,
  'ALTER TABLE computers ADD COLUMN protected INTEGER NOT NULL DEFAULT 0',
  `
  CREATE TABLE actions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    computer_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    outcome TEXT NOT NULL,
    ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX actions_by_computer ON actions (computer_id, id);
  `,
  `
  ALTER TABLE computers ADD COLUMN copy_of TEXT;
  ALTER TABLE computers ADD COLUMN copy_runs INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE computers ADD COLUMN copied_at TEXT;
  `,
  `
  CREATE TABLE connections (
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- URL and stream key, encrypted.
    sealed TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, name)
  ) STRICT;
  `,
  `
  ALTER TABLE service ADD COLUMN restored_at TEXT;

  -- Machines that were there, unknown, when the state was restored from a backup. The row with an
  -- empty id says that the engine was looked at.
  CREATE TABLE strangers (
    engine TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (engine, id)
  ) STRICT;
  `,
  `
  -- The last entry of the audit log when the service had run for so long in all.
  CREATE TABLE audit_marks (uptime_ms INTEGER PRIMARY KEY, last_id INTEGER NOT NULL) STRICT;

  ALTER TABLE keys ADD COLUMN created_by TEXT;
  CREATE INDEX actions_by_owner ON actions (owner_id, id);
  `,
  `
  ALTER TABLE owners ADD COLUMN role TEXT NOT NULL DEFAULT 'member'
    CHECK (role IN ('administrator', 'member'));
  ALTER TABLE owners ADD COLUMN created_by TEXT;
  -- Id of the key that requested its deletion.
  ALTER TABLE owners ADD COLUMN deleting_by TEXT;
  UPDATE owners SET role = 'administrator'
    WHERE id = (SELECT id FROM owners ORDER BY created_at, rowid LIMIT 1);
  `,
];
