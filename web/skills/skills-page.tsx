import { useCollection } from '@cloudscape-design/collection-hooks';
import Button from '@cloudscape-design/components/button';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { Skill } from '../../lib/skills/library.ts';
import { Page } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { skillWords } from './about.ts';
import { library } from './rulebook.ts';

const matches = ({ name, category, recall_on }: Skill, sought: string): boolean =>
  [name, category, skillWords[name] ?? '', ...recall_on].some(text =>
    text.toLowerCase().includes(sought.trim().toLowerCase()),
  );

/** Every skill of the library. */
export const SkillsPage = () => {
  const sought = filters.value.get('q') ?? '';
  const { items, collectionProps, filterProps, filteredItemsCount } = useCollection(
    library.skills,
    {
      filtering: {
        filteringFunction: matches,
        defaultFilteringText: sought,
        noMatch: 'No skill has this in its name, words, category or message types.',
      },
      sorting: {},
    },
  );
  return (
    <Page
      title="Skills"
      lead={
        `Library ${library.version}, for SOM ${library.som_version}. A skill watches stories ` +
        'and raises suggestions or warnings; a house configures instances of it.'
      }
      actions={<Button href={urlOf('checkSkills')}>Check a skills file</Button>}
    >
      <List
        isWrapped
        title="Library"
        counter={`(${library.skills.length})`}
        items={items}
        of="skill_id"
        columns={[
          [
            'Skill',
            one => <a href={urlOf('skill', { name: one.name })}>{one.name}</a>,
            { sortingField: 'name', minWidth: 120 },
          ],
          ['What it does', one => skillWords[one.name], { minWidth: 170 }],
          ['Category', one => one.category, { sortingField: 'category' }],
          ['Severity', one => one.severity_range.join(', ')],
          ['Asked about', one => one.recall_on.join(', '), { minWidth: 160 }],
        ]}
        filter={
          <TextFilter
            {...filterProps}
            filteringPlaceholder="Name, what it does or message type"
            filteringAriaLabel="Find a skill"
            countText={`${filteredItemsCount ?? 0} found`}
            onDelayedChange={({ detail }) => setFilters({ q: detail.filteringText })}
          />
        }
        more={collectionProps}
      />
    </Page>
  );
};
