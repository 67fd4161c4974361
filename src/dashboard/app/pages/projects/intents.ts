import type { Intent } from '../../api/commands.js';
import type { Project } from '../../api/types.js';

const pathOf = ({ id }: Project) => `/projects/${encodeURIComponent(id)}`;

// A name may begin with a hyphen.

export function createProject(name: string): Intent {
  const vc = ['project', 'create', '--', name];
  return { method: 'POST', path: '/projects', body: { name }, vc };
}

export function renameProject(project: Project, name: string): Intent {
  const vc = ['project', 'rename', '--', project.name, name];
  return { method: 'PATCH', path: pathOf(project), body: { name }, vc };
}

export function deleteProject(project: Project): Intent {
  const vc = ['project', 'rm', '--', project.name];
  return { method: 'DELETE', path: pathOf(project), vc };
}
