import type { Db } from './database.js';
import type { PublicationRecord } from './records.js';

export function publicationStore(db: Db) {
  const SELECT = `SELECT publications.*, computers.owner_id, computers.project_id,
      computers.name AS computer, projects.name AS project
    FROM publications JOIN computers ON computers.id = computer_id
      JOIN projects ON projects.id = project_id`;
  const insert = db.prepare(
    `INSERT INTO publications (label, computer_id, port, key_id, ticket_hash, created_at, expires_at)
     VALUES (:label, :computer_id, :port, :key_id, :ticket_hash, :created_at, :expires_at)`,
  );
  const find = db.prepare(`${SELECT} WHERE label = ?`);
  const ofComputer = db.prepare(`${SELECT} WHERE computer_id = ? ORDER BY port`);
  const ofOwner = db.prepare(
    `${SELECT} WHERE computers.owner_id = ? ORDER BY project, computer, port`,
  );
  const remove = db.prepare('DELETE FROM publications WHERE label = ?');
  return {
    insert: (row: Omit<PublicationRecord, 'owner_id' | 'project_id' | 'computer' | 'project'>) =>
      void insert.run(row),
    find: (label: string) => find.get(label) as PublicationRecord | undefined,
    ofComputer: (id: string) => ofComputer.all(id) as PublicationRecord[],
    ofOwner: (id: string) => ofOwner.all(id) as PublicationRecord[],
    remove: (label: string) => void remove.run(label),
  };
}
