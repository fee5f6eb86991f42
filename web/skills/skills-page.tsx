/** @jsxImportSource preact */
import type { Skill } from '../../lib/skills/library.ts';
import { addressOf, filters, setFilters } from '../page/address.ts';
import { Page } from '../page/elements.tsx';
import { Table } from '../page/table.tsx';
import { library } from './rulebook.ts';

const matches = ({ name, category, recall_on }: Skill, sought: string): boolean =>
  [name, category, ...recall_on].some(text => text.includes(sought.trim().toLowerCase()));

const Row = ({ skill }: { readonly skill: Skill }) => (
  <tr>
    <th scope="row">
      <a href={addressOf('skill', { name: skill.name })}>{skill.name}</a>
    </th>
    <td>{skill.category}</td>
    <td>{skill.severity_range.join(', ')}</td>
    <td>
      {skill.recall_on.map(type => (
        <code key={type}>{type}</code>
      ))}
    </td>
    <td class="number">{skill.fields.length}</td>
  </tr>
);

/** Every skill of the library. */
export const SkillsPage = () => {
  const sought = filters.value.get('q') ?? '';
  const found = library.skills.filter(skill => matches(skill, sought));
  return (
    <Page
      title="Skills"
      lead={`Library ${library.version}, for SOM ${library.som_version}. A skill watches stories and raises suggestions or warnings; a house configures instances of it.`}
    >
      <label class="filter">
        Find a skill
        <input
          type="search"
          placeholder="name, category or message type"
          value={sought}
          onInput={event => setFilters({ q: event.currentTarget.value })}
        />
      </label>
      <Table
        label="Skills of the library"
        heads={['Skill', 'Category', 'Severity', 'Is asked about', 'Fields']}
      >
        {found.map(skill => (
          <Row key={skill.skill_id} skill={skill} />
        ))}
      </Table>
      {found.length === 0 && (
        <p class="empty">No skill has “{sought}” in its name, category or message types.</p>
      )}
    </Page>
  );
};
