CREATE TABLE service (id TEXT PRIMARY KEY, created_at TEXT NOT NULL, restored_at TEXT) STRICT;

CREATE TABLE owners (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    max_running INTEGER,
    created_at TEXT NOT NULL
  , role TEXT NOT NULL DEFAULT 'member'
    CHECK (role IN ('administrator', 'member')), created_by TEXT, deleting_by TEXT) STRICT;

CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    last_used_at TEXT
  , created_by TEXT) STRICT;

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
    started_at TEXT, protected INTEGER NOT NULL DEFAULT 0, copy_of TEXT, copy_runs INTEGER NOT NULL DEFAULT 1, copied_at TEXT,
    UNIQUE (project_id, name)
  ) STRICT;

CREATE INDEX computers_by_owner ON computers (owner_id, status);

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

CREATE TABLE connections (
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- URL and stream key, encrypted.
    sealed TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, name)
  ) STRICT;

CREATE TABLE strangers (
    engine TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (engine, id)
  ) STRICT;

CREATE TABLE audit_marks (uptime_ms INTEGER PRIMARY KEY, last_id INTEGER NOT NULL) STRICT;

CREATE INDEX actions_by_owner ON actions (owner_id, id);

INSERT INTO service VALUES ('srv_0123456789abcdefghjk', '2026-01-02T03:04:05.000Z', NULL);
INSERT INTO owners (id, name, max_running, created_at) VALUES ('usr_0123456789abcdefghjk', 'default', 7, '2026-01-02T03:04:05.000Z');
INSERT INTO owners (id, name, max_running, created_at) VALUES ('usr_zzzzzzzzzzzzzzzzzzzz', 'second', NULL, '2026-01-02T03:04:06.000Z');
UPDATE owners SET role = 'administrator' WHERE id = 'usr_0123456789abcdefghjk';
INSERT INTO keys VALUES ('key_0123456789abcdefghjk', 'usr_0123456789abcdefghjk', 'default', 'abababababababababababababababababababababababababababababababab', '2026-01-02T03:04:05.000Z', NULL, NULL);
INSERT INTO projects VALUES ('prj_0123456789abcdefghjk', 'usr_0123456789abcdefghjk', 'demo', 0, '2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.000Z');
INSERT INTO computers (id, project_id, owner_id, name, os, ram, cpu, gpu, image, engine, width, height, auto_stop_minutes, status, status_reason, private_key, public_key, created_at, started_at)
  VALUES ('cmp_0123456789abcdefghjk', 'prj_0123456789abcdefghjk', 'usr_0123456789abcdefghjk', 'it''s a "desk", 日本',
    'linux', 4, 2, 'none', 'linux', 'docker', 1024, 768, 30, 'running', NULL, 'private', 'public', '2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.000Z');
INSERT INTO computers (id, project_id, owner_id, name, os, ram, cpu, gpu, image, engine, width, height, auto_stop_minutes, status, status_reason, private_key, public_key, created_at, started_at)
  VALUES ('cmp_zzzzzzzzzzzzzzzzzzzz', 'prj_0123456789abcdefghjk', 'usr_0123456789abcdefghjk', 'broken',
    'linux', 2, 2, 'none', 'linux', 'docker', 1280, 800, NULL, 'error', 'no room', 'private', 'public', '2026-01-02T03:04:05.000Z', NULL);
UPDATE computers SET protected = 1 WHERE id = 'cmp_0123456789abcdefghjk';
INSERT INTO actions (at, owner_id, computer_id, key_id, action, detail, outcome, ms)
  VALUES ('2026-01-02T03:04:05.000Z', 'usr_0123456789abcdefghjk', 'cmp_0123456789abcdefghjk', 'key_0123456789abcdefghjk', 'click', '{"x":1}', 'ok', 12);
UPDATE computers SET copied_at = '2026-01-02T03:04:05.000Z', copy_runs = 0 WHERE id = 'cmp_0123456789abcdefghjk';
INSERT INTO connections VALUES ('usr_0123456789abcdefghjk', 'studio', 'sealed', '2026-01-02T03:04:05.000Z');

INSERT INTO audit_marks VALUES (1000, 1);

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

  -- The last event of an owner and kind that was dropped.
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
      OLD.project_id, (SELECT name FROM projects WHERE id = OLD.project_id), OLD.id, OLD.name, '{}');
  END;
  -- A deleted computer is found in its earlier events. The log goes on after its owner is deleted,
  -- the events do not.
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

  -- Background commands whose end was not reported yet.
  CREATE TABLE watched_jobs (
    computer_id TEXT NOT NULL REFERENCES computers(id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    PRIMARY KEY (computer_id, id)
  ) STRICT;

  -- Idempotency keys of creations: written in the transaction of the creation itself, and the answer
  -- once it was given.
  CREATE TABLE idempotency_keys (
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    answer TEXT,
    created_at TEXT NOT NULL,
    PRIMARY KEY (owner_id, key)
  ) STRICT;

  ALTER TABLE keys ADD COLUMN rights TEXT NOT NULL DEFAULT 'manage'
    CHECK (rights IN ('look', 'act', 'manage'));
  ALTER TABLE keys ADD COLUMN project_id TEXT REFERENCES projects(id) ON DELETE CASCADE;
  ALTER TABLE keys ADD COLUMN expires_at TEXT;
  ALTER TABLE keys ADD COLUMN prefix TEXT;
  -- Id of the key that created it.
  ALTER TABLE computers ADD COLUMN created_by TEXT;

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

INSERT INTO keys (id, owner_id, name, hash, created_at, prefix) VALUES ('key_zzzzzzzzzzzzzzzzzzzz', 'usr_0123456789abcdefghjk', 'laptop', 'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd', '2026-01-02T03:04:06.000Z', 'vc_0123');
UPDATE computers SET created_by = 'key_zzzzzzzzzzzzzzzzzzzz' WHERE id = 'cmp_0123456789abcdefghjk';
UPDATE computers SET created_by = 'key_revoked' WHERE name = 'broken';

  CREATE TRIGGER project_renamed AFTER UPDATE OF name ON projects WHEN OLD.name IS NOT NEW.name BEGIN
    INSERT INTO events (at, owner_id, kind, type, project_id, project, data)
    VALUES (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NEW.owner_id, 'change', 'project.renamed',
      NEW.id, NEW.name, json_object('previous', OLD.name));
  END;

  -- Name and prefix of the key that created it, also after the key was revoked.
  ALTER TABLE computers ADD COLUMN created_by_name TEXT;
  ALTER TABLE computers ADD COLUMN created_by_prefix TEXT;
  UPDATE computers SET
    created_by_name = (SELECT name FROM keys WHERE id = computers.created_by),
    created_by_prefix = (SELECT prefix FROM keys WHERE id = computers.created_by);
  CREATE TRIGGER key_renamed AFTER UPDATE OF name ON keys WHEN OLD.name IS NOT NEW.name BEGIN
    UPDATE computers SET created_by_name = NEW.name WHERE created_by = NEW.id;
  END;

  -- Sessions of the web page, which outlive a restart of the service.
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL REFERENCES keys(id) ON DELETE CASCADE,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
  ) STRICT;

  -- Values that can be typed and are never shown; encrypted with the key in the state directory.
  CREATE TABLE secrets (
    project_id TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    PRIMARY KEY (project_id, name)
  ) STRICT;

  -- Names of deleted keys and projects, for the usage that they have left.
  CREATE TABLE deleted_names (
    id TEXT PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES owners(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    deleted_at TEXT NOT NULL
  ) STRICT;
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

  ALTER TABLE computers ADD COLUMN member TEXT;
  ALTER TABLE computers ADD COLUMN member_group TEXT;

  -- A page of the list, and the count of running computers, without reading the owner's other rows.
  CREATE INDEX computers_by_age ON computers (owner_id, created_at, id);
  DROP INDEX computers_by_owner;
  CREATE INDEX computers_by_owner ON computers (owner_id, status, copy_of, copy_runs);

  -- Members of clusters that get no new computers, and whose computers are moved to others.
  CREATE TABLE drains (
    engine TEXT NOT NULL,
    member TEXT NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (engine, member)
  ) STRICT;

  -- The keys of an owner, without reading those of others.
  CREATE INDEX keys_by_owner ON keys (owner_id, created_at, id);
  -- Old days are found without reading all rows.
  CREATE INDEX usage_by_day ON usage (day);
  -- An owner has at most 2,000 names of deleted keys and projects; the oldest are dropped.
  CREATE INDEX deleted_names_by_owner ON deleted_names (owner_id);
  CREATE TRIGGER deleted_names_bounded AFTER INSERT ON deleted_names BEGIN
    DELETE FROM deleted_names WHERE owner_id = NEW.owner_id AND rowid <=
      (SELECT rowid FROM deleted_names WHERE owner_id = NEW.owner_id
         ORDER BY rowid DESC LIMIT 1 OFFSET 2000);
  END;
  -- The service's running time at a creation: the wall clock may jump.
  ALTER TABLE idempotency_keys ADD COLUMN uptime_ms INTEGER NOT NULL DEFAULT 0;
  UPDATE idempotency_keys SET
    uptime_ms = (SELECT coalesce(max(audit_marks.uptime_ms), 0) FROM audit_marks);

INSERT INTO secrets VALUES ('prj_0123456789abcdefghjk', 'PASSWORD', 'sealed', '2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.000Z');

  -- The oldest entries of an API key, and the number of its entries, without reading those of others.
  CREATE INDEX actions_by_key ON actions (owner_id, key_id, id);
  -- The entries of a computer or project, without reading the owner's others.
  DROP INDEX actions_by_computer;
  CREATE INDEX actions_by_computer ON actions (owner_id, computer_id, id);
  ALTER TABLE actions ADD COLUMN project_id TEXT;
  UPDATE actions SET project_id = (SELECT project_id FROM computers WHERE id = computer_id)
    WHERE computer_id <> '';
  CREATE INDEX actions_by_project ON actions (project_id, id) WHERE project_id IS NOT NULL;
  -- Names, times and sizes of secrets, without reading the encrypted values.
  ALTER TABLE secrets ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE secrets SET bytes = length(sealed);
  CREATE INDEX secrets_by_name ON secrets (project_id, name, created_at, updated_at, bytes);
  -- The API key that has used an idempotency key.
  ALTER TABLE idempotency_keys ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
  CREATE INDEX idempotency_keys_by_key ON idempotency_keys (owner_id, key_id);
  -- The computers that a key has created, which have its name.
  CREATE INDEX computers_by_key ON computers (created_by);
  -- For the rows that are removed with a key or project.
  CREATE INDEX sessions_by_key ON sessions (key_id);
  CREATE INDEX keys_by_project ON keys (project_id);
  -- The last dropped event of a project and kind. '' stands for events of none, and of deleted projects.
  CREATE TEMP TABLE dropped_before AS SELECT * FROM dropped_events;
  DROP TABLE dropped_events;
  CREATE TABLE dropped_events (
    owner_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    project_id TEXT NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (owner_id, kind, project_id)
  ) STRICT;
  INSERT INTO dropped_events SELECT owner_id, kind, '', id FROM dropped_before;
  INSERT INTO dropped_events SELECT owner_id, kind, projects.id, dropped_before.id
    FROM dropped_before JOIN projects USING (owner_id);
  DROP TABLE dropped_before;
  CREATE INDEX dropped_events_by_id ON dropped_events (owner_id, kind, id);
  -- The API key to which an entry is attributed when limits are divided; it may have been removed.
  ALTER TABLE actions ADD COLUMN holder TEXT NOT NULL DEFAULT '';
  UPDATE actions SET holder = key_id;
  DROP INDEX actions_by_key;
  CREATE INDEX actions_by_holder ON actions (owner_id, holder, id);
  -- The same of a key whose maker, a limited key, was removed.
  ALTER TABLE keys ADD COLUMN attributed_to TEXT;

INSERT INTO dropped_events VALUES
  ('usr_0123456789abcdefghjk', 'change', '', 3),
  ('usr_0123456789abcdefghjk', 'change', 'prj_0123456789abcdefghjk', 3);

-- Made by a key that was limited when it was removed, and by one that is there.
INSERT INTO keys (id, owner_id, name, hash, created_at, prefix, created_by, attributed_to) VALUES
  ('key_made00000000000000a', 'usr_0123456789abcdefghjk', 'full', 'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', '2026-01-02T03:04:07.000Z', 'vc_0124', 'key_gone', 'key_made00000000000000a'),
  ('key_made00000000000000b', 'usr_0123456789abcdefghjk', 'other', 'a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2', '2026-01-02T03:04:08.000Z', 'vc_0125', 'key_0123456789abcdefghjk', NULL),
  ('key_made00000000000000c', 'usr_0123456789abcdefghjk', 'third', 'a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3', '2026-01-02T03:04:09.000Z', 'vc_0126', 'key_gone', 'key_made00000000000000b');

PRAGMA user_version = 20;
