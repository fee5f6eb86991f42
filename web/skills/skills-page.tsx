import { useCollection } from '@cloudscape-design/collection-hooks';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Table from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { Skill } from '../../lib/skills/library.ts';
import { Page } from '../page/layout.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { library } from './rulebook.ts';

const matches = ({ name, category, recall_on }: Skill, sought: string): boolean =>
  [name, category, ...recall_on].some(text => text.includes(sought.trim().toLowerCase()));

/** Every skill of the library. */
export const SkillsPage = () => {
  const sought = filters.value.get('q') ?? '';
  const { items, collectionProps, filterProps, filteredItemsCount } = useCollection(library.skills, {
    filtering: {
      filteringFunction: matches,
      defaultFilteringText: sought,
      noMatch: 'No skill has this in its name, category or message types.',
    },
    sorting: {},
  });
  return (
    <Page
      title="Skills"
      lead={`Library ${library.version}, for SOM ${library.som_version}. A skill watches stories and raises suggestions or warnings; a house configures instances of it.`}
      actions={<Button href={urlOf('checkSkills')}>Check a skills file</Button>}
    >
      <Table
        {...collectionProps}
        items={items}
        trackBy="skill_id"
        contentDensity="compact"
        wrapLines
        header={
          <Header variant="h2" counter={`(${library.skills.length})`}>
            Library
          </Header>
        }
        filter={
          <TextFilter
            {...filterProps}
            filteringPlaceholder="Name, category or message type"
            filteringAriaLabel="Find a skill"
            countText={`${filteredItemsCount ?? 0} found`}
            onDelayedChange={({ detail }) => setFilters({ q: detail.filteringText })}
          />
        }
        columnDefinitions={[
          {
            id: 'name',
            header: 'Skill',
            sortingField: 'name',
            isRowHeader: true,
            cell: one => <a href={urlOf('skill', { name: one.name })}>{one.name}</a>,
          },
          { id: 'category', header: 'Category', sortingField: 'category', cell: one => one.category },
          { id: 'severity', header: 'Severity', cell: one => one.severity_range.join(', ') },
          { id: 'recall', header: 'Asked about', cell: one => one.recall_on.join(', ') },
          { id: 'fields', header: 'Fields', cell: one => one.fields.length },
        ]}
      />
    </Page>
  );
};
