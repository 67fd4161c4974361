/** `PRAGMA user_version` of a database. Increase it with every change of {@link SCHEMA}. */
export const SCHEMA_VERSION = 33;

/** Creates the tables, indexes and triggers of an empty database. Timestamps are RFC 3339 in UTC. */
export const SCHEMA = `
  CREATE TABLE service (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    restored_at TEXT
  ) STRICT;

  CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('administrator', 'member')),
    max_running INTEGER,
    -- GB of saved disks.
    max_storage INTEGER,
    created_at TEXT NOT NULL,
    created_by TEXT,
    -- Id of the key that requested its deletion.
    deleting_by TEXT
  ) STRICT;

  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    prefix TEXT,
    rights TEXT NOT NULL DEFAULT 'manage' CHECK (rights IN ('look', 'act', 'manage')),
    project_id TEXT REFERENCES projects(id) ON DELETE CASCADE,
    expires_at TEXT,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    -- Id of the key that created it.
    created_by TEXT,
    -- The nearest key that has made it, itself or through others, and that was not removed.
    maker TEXT,
    -- Budgets, and what was used of them since the key was created.
    max_computers INTEGER,
    max_hours INTEGER,
    max_actions INTEGER,
    used_computers INTEGER NOT NULL DEFAULT 0,
    used_ms INTEGER NOT NULL DEFAULT 0,
    used_actions INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- The keys of an owner, without reading those of others.
  CREATE INDEX keys_by_owner ON keys (owner_id, created_at, id);
  CREATE INDEX keys_by_project ON keys (project_id);

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
    member TEXT,
    member_group TEXT,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    -- What its machine has of ram, cpu and resolution, as JSON; null if they were never changed.
    machine_size TEXT,
    auto_stop_minutes INTEGER,
    on_idle TEXT NOT NULL DEFAULT 'stop' CHECK (on_idle IN ('stop', 'delete')),
    expires_at TEXT,
    -- Texts by name, as JSON.
    labels TEXT NOT NULL DEFAULT '{}',
    protected INTEGER NOT NULL DEFAULT 0,
    -- Environment variables, encrypted; null for none.
    env TEXT,
    timezone TEXT,
    locale TEXT,
    sudo INTEGER NOT NULL DEFAULT 1,
    -- What it may reach, as JSON.
    network TEXT NOT NULL DEFAULT '"internet"',
    -- The volumes that it mounts, as JSON.
    volumes TEXT NOT NULL DEFAULT '[]',
    status TEXT NOT NULL,
    status_reason TEXT,
    private_key TEXT NOT NULL,
    public_key TEXT NOT NULL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    copy_runs INTEGER NOT NULL DEFAULT 1,
    copied_at TEXT,
    -- Id of the saved disk that it was made from, of its current snapshot, and of the saved disk that it
    -- is being reset to, which is empty for its state after its creation.
    source TEXT,
    snapshot TEXT,
    reset_to TEXT,
    -- Id, name and prefix of the key that created it, also after the key was revoked.
    created_by TEXT,
    created_by_name TEXT,
    created_by_prefix TEXT,
    UNIQUE (project_id, name)
  ) STRICT;
  -- A page of the list, and the count of running computers, without reading the owner's other rows.
  CREATE INDEX computers_by_age ON computers (owner_id, created_at, id);
  CREATE INDEX computers_by_owner ON computers (owner_id, status, copied_at, copy_runs);
  CREATE INDEX computers_by_source ON computers (source) WHERE source IS NOT NULL;
  CREATE INDEX computers_by_reset ON computers (reset_to) WHERE reset_to IS NOT NULL;
  -- The computers that a key has created, which have its name.
  CREATE INDEX computers_by_key ON computers (created_by);
  CREATE TRIGGER key_renamed AFTER UPDATE OF name ON keys WHEN OLD.name IS NOT NEW.name BEGIN
    UPDATE computers SET created_by_name = NEW.name WHERE created_by = NEW.id;
  END;

  -- What is done once in a new computer, and again after a reset to its state after its creation.
  CREATE TABLE setups (
    computer_id TEXT PRIMARY KEY REFERENCES computers(id) ON DELETE CASCADE,
    -- Files as JSON and the script, both encrypted.
    files TEXT NOT NULL,
    script TEXT,
    -- What is to be done next.
    next TEXT NOT NULL CHECK (next IN ('files', 'script', 'nothing'))
  ) STRICT;

  -- Disks that engines keep: snapshots, images of owners, and what the copies of a fork share.
  CREATE TABLE saved_disks (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('snapshot', 'image')),
    owner_id TEXT NOT NULL REFERENCES owners(id),
    -- The computer of a snapshot; null once that is deleted.
    computer_id TEXT,
    engine TEXT NOT NULL,
    -- Null for the copies of a fork and for steps of image builds.
    name TEXT,
    -- Id of the snapshot that it was made after.
    parent TEXT,
    -- retired: kept only as long as a computer that was made from it, or a row of build_steps.
    state TEXT NOT NULL CHECK (state IN ('saving', 'ready', 'retired')),
    os TEXT NOT NULL,
    -- What an image built from a Dockerfile passes on, as JSON.
    config TEXT,
    -- An image for all owners.
    shared INTEGER NOT NULL DEFAULT 0,
    memory INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX snapshots_by_name ON saved_disks (computer_id, name)
    WHERE kind = 'snapshot' AND state <> 'retired';
  CREATE UNIQUE INDEX images_by_name ON saved_disks (owner_id, name)
    WHERE kind = 'image' AND state = 'ready' AND shared = 0;
  CREATE UNIQUE INDEX shared_images_by_name ON saved_disks (name)
    WHERE kind = 'image' AND state = 'ready' AND shared = 1;
  CREATE INDEX saved_disks_by_computer ON saved_disks (computer_id);
  CREATE INDEX saved_disks_by_sharing ON saved_disks (shared, name);
  CREATE INDEX saved_disks_by_parent ON saved_disks (parent) WHERE parent IS NOT NULL;
  CREATE INDEX unfinished_disks ON saved_disks (engine) WHERE state <> 'ready';
  -- The storage of an owner, without reading rows.
  CREATE INDEX saved_disks_by_owner ON saved_disks (owner_id, bytes);

  -- Directories that computers share and that outlive them.
  CREATE TABLE volumes (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id),
    engine TEXT NOT NULL,
    -- Of the cluster that has it; null for an engine without members.
    member TEXT,
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('creating', 'ready', 'deleting')),
    bytes INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX volumes_by_name ON volumes (owner_id, name) WHERE state <> 'deleting';
  CREATE INDEX volumes_by_owner ON volumes (owner_id, bytes);
  CREATE INDEX unfinished_volumes ON volumes (state, engine) WHERE state <> 'ready';

  -- Runs of vc run, with what the web page shows of their tasks.
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_owner ON runs (owner_id, created_at);
  CREATE TABLE run_tasks (
    run_id TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    seconds REAL,
    computer_id TEXT,
    picture BLOB,
    PRIMARY KEY (run_id, name)
  ) STRICT;

  -- The cache of image builds: disks saved after steps, by the hash of all that came before.
  CREATE TABLE build_steps (
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    engine TEXT NOT NULL,
    key TEXT NOT NULL,
    -- Key of the step before it.
    parent TEXT,
    disk_id TEXT NOT NULL,
    used_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, engine, key)
  ) STRICT;
  CREATE INDEX build_steps_by_disk ON build_steps (disk_id);

  -- Projects with the computers of image builds. None is left when the service starts.
  CREATE TABLE build_projects (
    project_id TEXT PRIMARY KEY REFERENCES projects(id) ON DELETE CASCADE
  ) STRICT;

  -- Background commands whose end was not reported yet.
  CREATE TABLE watched_jobs (
    computer_id TEXT NOT NULL REFERENCES computers(id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    PRIMARY KEY (computer_id, id)
  ) STRICT;

  -- Ports of computers with an address of their own.
  CREATE TABLE publications (
    -- The first label of its host name.
    label TEXT PRIMARY KEY,
    computer_id TEXT NOT NULL REFERENCES computers(id) ON DELETE CASCADE,
    port INTEGER NOT NULL,
    -- The key that created it, with which it ends.
    key_id TEXT NOT NULL REFERENCES keys(id) ON DELETE CASCADE,
    -- SHA-256 of the ticket; null if it needs none.
    ticket_hash TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    UNIQUE (computer_id, port)
  ) STRICT;
  CREATE INDEX publications_by_key ON publications (key_id);

  -- Targets of streams.
  CREATE TABLE connections (
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- URL and stream key, encrypted.
    sealed TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, name)
  ) STRICT;

  -- Values that can be typed and are never shown; encrypted with the key in the state directory.
  CREATE TABLE secrets (
    project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
  ) STRICT;
  -- Names, times and sizes of secrets, without reading the encrypted values.
  CREATE INDEX secrets_by_name ON secrets (project_id, name, created_at, updated_at, bytes);

  -- Targets to which events are posted.
  CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    -- URL and secret, encrypted.
    sealed TEXT NOT NULL,
    -- Patterns of types, as JSON.
    events TEXT NOT NULL,
    -- Id of the last event that has a delivery, or needs none.
    position INTEGER NOT NULL,
    disabled INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX webhooks_by_owner ON webhooks (owner_id, created_at, id);

  -- Events for webhooks: those to come, and the newest that were delivered or given up.
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    webhook_id TEXT NOT NULL REFERENCES webhooks(id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    at TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    status_code INTEGER,
    error TEXT,
    next_attempt_at TEXT
  ) STRICT;
  CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, seq);
  CREATE INDEX pending_deliveries ON deliveries (webhook_id, next_attempt_at, seq)
    WHERE state = 'pending';

  -- Sessions of the web page, which outlive a restart of the service.
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL REFERENCES keys(id) ON DELETE CASCADE,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_key ON sessions (key_id);

  -- Idempotency keys of creations: written in the transaction of the creation itself, and the answer
  -- once it was given.
  CREATE TABLE idempotency_keys (
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    answer TEXT,
    created_at TEXT NOT NULL,
    -- The service's running time at the creation: the wall clock may jump.
    uptime_ms INTEGER NOT NULL,
    PRIMARY KEY (owner_id, key)
  ) STRICT;

  -- Machines that were there, unknown, when the state was restored from a backup. The row with an
  -- empty id says that the engine was looked at.
  CREATE TABLE strangers (
    engine TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (engine, id)
  ) STRICT;

  -- Members of clusters that get no new computers, and whose computers are moved to others.
  CREATE TABLE drains (
    engine TEXT NOT NULL,
    member TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (engine, member)
  ) STRICT;

  -- The audit log. It is kept after its owner is deleted.
  CREATE TABLE actions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    project_id TEXT,
    computer_id TEXT NOT NULL,
    -- At that time; null for an operation on no computer.
    computer_name TEXT,
    key_id TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    outcome TEXT NOT NULL,
    ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX actions_by_owner ON actions (owner_id, id);
  -- The entries of a computer or project, without reading the owner's others.
  CREATE INDEX actions_by_computer ON actions (owner_id, computer_id, id);
  CREATE INDEX actions_by_project ON actions (project_id, id) WHERE project_id IS NOT NULL;

  -- The last entry of the audit log when the service had run for so long in all.
  CREATE TABLE audit_marks (uptime_ms INTEGER PRIMARY KEY, last_id INTEGER NOT NULL) STRICT;

  -- What was used on a day (UTC), by key and project; empty for none.
  CREATE TABLE usage (
    day TEXT NOT NULL,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    key_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    computers INTEGER NOT NULL,
    computer_ms INTEGER NOT NULL,
    actions INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (owner_id, day, key_id, project_id)
  ) STRICT;
  -- Old days are found without reading all rows.
  CREATE INDEX usage_by_day ON usage (day);

  -- Names of deleted keys and projects, for the usage that they have left. An owner has at most 2,000;
  -- the oldest are dropped.
  CREATE TABLE deleted_names (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    deleted_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX deleted_names_by_owner ON deleted_names (owner_id);
  CREATE TRIGGER deleted_names_bounded AFTER INSERT ON deleted_names BEGIN
    DELETE FROM deleted_names WHERE owner_id = NEW.owner_id AND rowid <=
      (SELECT rowid FROM deleted_names WHERE owner_id = NEW.owner_id
         ORDER BY rowid DESC LIMIT 1 OFFSET 2000);
  END;
  CREATE TRIGGER key_deleted AFTER DELETE ON keys
    WHEN EXISTS (SELECT 1 FROM owners WHERE id = OLD.owner_id) BEGIN
    INSERT OR REPLACE INTO deleted_names
    VALUES (OLD.id, OLD.owner_id, OLD.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
  END;
  CREATE TRIGGER project_name_deleted AFTER DELETE ON projects
    WHEN EXISTS (SELECT 1 FROM owners WHERE id = OLD.owner_id) BEGIN
    INSERT OR REPLACE INTO deleted_names
    VALUES (OLD.id, OLD.owner_id, OLD.name, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
  END;

  -- What happened to an owner's resources, in order, written by the triggers below in the transaction
  -- of the change itself. The kinds "change" and "action" have a limit each.
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    type TEXT NOT NULL,
    project_id TEXT,
    project TEXT,
    computer_id TEXT,
    computer TEXT,
    data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_owner ON events (owner_id, kind, id);
  CREATE INDEX events_by_computer ON events (computer_id, id);

  -- The last dropped event of an owner and kind.
  CREATE TABLE dropped_events (
    owner_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (owner_id, kind)
  ) STRICT;

  CREATE TRIGGER project_created AFTER INSERT ON projects BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, data)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.owner_id, 'change', 'project.created',
      NEW.id, NEW.name, '{}');
  END;
  CREATE TRIGGER project_renamed AFTER UPDATE OF name ON projects WHEN OLD.name IS NOT NEW.name BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, data)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.owner_id, 'change', 'project.renamed',
      NEW.id, NEW.name, json_object('previous', OLD.name));
  END;
  CREATE TRIGGER project_deleted AFTER DELETE ON projects BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, data)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), OLD.owner_id, 'change', 'project.deleted',
      OLD.id, OLD.name, '{}');
  END;
  CREATE TRIGGER computer_created AFTER INSERT ON computers BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, computer_id, computer, data)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.owner_id, 'change', 'computer.created',
      NEW.project_id, (SELECT name FROM projects WHERE id = NEW.project_id), NEW.id, NEW.name,
      json_object('status', NEW.status));
  END;
  CREATE TRIGGER computer_status AFTER UPDATE OF status, status_reason ON computers
    WHEN OLD.status IS NOT NEW.status OR OLD.status_reason IS NOT NEW.status_reason BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, computer_id, computer, data)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.owner_id, 'change', 'computer.status',
      NEW.project_id, (SELECT name FROM projects WHERE id = NEW.project_id), NEW.id, NEW.name,
      json_object('status', NEW.status, 'previous', OLD.status, 'reason', NEW.status_reason));
  END;
  CREATE TRIGGER computer_deleted AFTER DELETE ON computers BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, computer_id, computer, data)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), OLD.owner_id, 'change', 'computer.deleted',
      OLD.project_id, (SELECT name FROM projects WHERE id = OLD.project_id), OLD.id, OLD.name,
      json_object('reason', OLD.status_reason));
  END;
  CREATE TRIGGER disk_saved AFTER UPDATE OF state ON saved_disks
    WHEN OLD.state <> 'ready' AND NEW.state = 'ready' BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, computer_id, computer, data)
    SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.owner_id, 'change', NEW.kind || '.created',
      project_id, projects.name, computers.id, computers.name,
      CASE NEW.kind WHEN 'image' THEN json_object('name', NEW.name) ELSE json_object('name', NEW.name,
        'parent', (SELECT name FROM saved_disks WHERE id = NEW.parent)) END
    FROM (SELECT 1) LEFT JOIN computers ON computers.id = NEW.computer_id
      LEFT JOIN projects ON projects.id = project_id;
  END;
  CREATE TRIGGER computer_disks AFTER DELETE ON computers BEGIN
    UPDATE saved_disks SET state = 'retired', computer_id = NULL WHERE computer_id = OLD.id;
  END;
  -- Snapshots that are deleted with their computer have no event.
  CREATE TRIGGER disk_retired AFTER UPDATE OF state ON saved_disks
    WHEN OLD.state = 'ready' AND NEW.state = 'retired'
      AND (NEW.kind = 'image' OR NEW.computer_id IS NOT NULL) BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, computer_id, computer, data)
    SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.owner_id, 'change', NEW.kind || '.deleted',
      project_id, projects.name, computers.id, computers.name, json_object('name', NEW.name)
    FROM (SELECT 1) LEFT JOIN computers ON computers.id = NEW.computer_id
      LEFT JOIN projects ON projects.id = project_id;
  END;
  -- A deleted computer is found in its earlier events. Events are deleted with their owner.
  CREATE TRIGGER action_logged AFTER INSERT ON actions
    WHEN EXISTS (SELECT 1 FROM owners WHERE id = NEW.owner_id) BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, computer_id, computer, data)
    SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.owner_id, 'action', 'action', found.project_id,
      found.project, nullif(NEW.computer_id, ''), found.computer,
      json_object('entry', NEW.id, 'began_at', NEW.at, 'key_id', NEW.key_id, 'action', NEW.action,
        'detail', json(NEW.detail), 'outcome', NEW.outcome, 'ms', NEW.ms)
    FROM (SELECT 1) LEFT JOIN (
      SELECT project_id, projects.name AS project, computers.name AS computer FROM computers
        JOIN projects ON projects.id = project_id WHERE computers.id = NEW.computer_id
      UNION ALL
      SELECT * FROM (SELECT project_id, project, computer FROM events
        WHERE computer_id = NEW.computer_id ORDER BY id DESC LIMIT 1)
      LIMIT 1) AS found;
  END;
  CREATE TRIGGER owner_deleted AFTER DELETE ON owners BEGIN
    DELETE FROM events WHERE owner_id = OLD.id;
    DELETE FROM dropped_events WHERE owner_id = OLD.id;
  END;
`;
