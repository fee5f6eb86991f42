/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import type { ActivityAnswer, AnswerOf } from '../../lib/contract/portal-answers.ts';
import { filters, setFilters } from '../page/address.ts';
import type { Wanted } from './feed.ts';
import { kinds, kindWords } from './lines.ts';

const textFilters = [
  { name: 'type', label: 'Message type', hint: 'story.context' },
  { name: 'correlation', label: 'Story (correlation_id)', hint: 'a whole id' },
  { name: 'rule', label: 'Rule', hint: 'envelope' },
] as const;

/** What the address says is wanted. `until` is a time of the reader's; the call wants a position. */
export const wantedIn = (given: URLSearchParams): Wanted => {
  const texts = ['connection', 'kind', 'runs', ...textFilters.map(({ name }) => name)].flatMap(name => {
    const value = given.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  const until = new Date(given.get('until') ?? '');
  return {
    ...Object.fromEntries(texts),
    ...(Number.isNaN(until.getTime()) ? {} : { before: until.toISOString() }),
  };
};

const Filter = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
  <label>
    <span>{label}</span>
    {children}
  </label>
);

const filled = (name: string): string => filters.value.get(name) ?? '';

/** What to show. Each filter is in the address, so that a colleague sees the same. */
export const FeedFilters = ({
  connections,
}: {
  readonly connections: AnswerOf<'workspace.show'>['connections'];
}) => (
  <search class="filters">
    <Filter label="What">
      <select value={filled('kind')} onInput={event => setFilters({ kind: event.currentTarget.value })}>
        <option value="">everything</option>
        {kinds.map((kind: ActivityAnswer['kind']) => (
          <option key={kind} value={kind}>
            {kindWords(kind)}
          </option>
        ))}
      </select>
    </Filter>
    <Filter label="Connection">
      <select
        value={filled('connection')}
        onInput={event => setFilters({ connection: event.currentTarget.value })}
      >
        <option value="">all</option>
        {connections.map(({ connection_id: id, app_name: app, kind }) => (
          <option key={id} value={id}>
            {app}, {kind} ({id})
          </option>
        ))}
      </select>
    </Filter>
    {textFilters.map(({ name, label, hint }) => (
      <Filter key={name} label={label}>
        <input
          type="text"
          spellcheck={false}
          autocomplete="off"
          placeholder={hint}
          value={filled(name)}
          onChange={event => setFilters({ [name]: event.currentTarget.value })}
        />
      </Filter>
    ))}
    <Filter label="Test runs">
      <select value={filled('runs')} onInput={event => setFilters({ runs: event.currentTarget.value })}>
        <option value="">shown</option>
        <option value="without">left out</option>
      </select>
    </Filter>
    <Filter label="Until">
      <input
        type="datetime-local"
        value={filled('until')}
        onChange={event => setFilters({ until: event.currentTarget.value })}
      />
    </Filter>
  </search>
);
