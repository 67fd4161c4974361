import { call } from '../../api/http.js';
import type { Lists } from '../../api/types.js';
import { Choice } from '../../components/forms/field.js';
import { useData } from '../../state/use-data.js';

/** A choice of one project, or all. */
export function ProjectChoice() {
  const { value } = useData('projects', (signal) =>
    call<Lists['projects']>('GET', '/projects', { signal }),
  );
  const projects = (value?.projects ?? []).map(({ id, name }) => ({ value: id, text: name }));
  return (
    <Choice
      label="Project"
      name="project"
      value=""
      options={[{ value: '', text: 'all projects' }, ...projects]}
    />
  );
}
