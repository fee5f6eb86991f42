import DateRangePicker, {
  type DateRangePickerProps,
} from '@cloudscape-design/components/date-range-picker';
import PropertyFilter, {
  type PropertyFilterProps,
} from '@cloudscape-design/components/property-filter';
import { messageTypes } from '../../lib/contract/message-types.ts';
import { rules } from '../../lib/contract/rules.ts';
import { millisecondsIn } from '../../lib/platform/json/formats.ts';
import { useValue } from '../page/cell.ts';
import { filters, setFilters } from '../page/location.ts';
import { timesOf } from '../page/range.ts';
import { connections } from '../page/workspaces.ts';
import type { FeedQuery } from './feed.ts';
import { kinds, kindWords } from './lines.ts';

const properties = [
  { key: 'kind', label: 'Event', group: 'Events' },
  { key: 'connection', label: 'Connection', group: 'Connections' },
  { key: 'type', label: 'Message type', group: 'Message types and families' },
  { key: 'rule', label: 'Rule', group: 'Rules and their prefixes' },
  { key: 'correlation', label: 'Story (correlation_id)', group: 'Stories' },
  { key: 'runs', label: 'Test runs', group: 'Test runs' },
] as const;

const familiesOf = (names: readonly string[]): readonly string[] => [
  ...new Set(names.map(name => `${name.slice(0, name.indexOf('.'))}.*`)),
];

const optionsFor = (
  known: readonly {
    readonly connection_id: string;
    readonly app_name: string;
    readonly kind: string;
  }[],
): readonly PropertyFilterProps.FilteringOption[] => [
  ...kinds.map(value => ({ propertyKey: 'kind', value, label: kindWords(value) })),
  ...known.map(one => ({
    propertyKey: 'connection',
    value: one.connection_id,
    label: `${one.app_name}, ${one.kind} (${one.connection_id})`,
  })),
  ...[...familiesOf(messageTypes), ...messageTypes].map(value => ({ propertyKey: 'type', value })),
  ...Object.keys(rules).map(value => ({ propertyKey: 'rule', value })),
  { propertyKey: 'runs', value: 'without', label: 'left out' },
];

const relativeIn = (text: string): DateRangePickerProps.RelativeValue | undefined => {
  const [, amount, unit] = /^(\d+)-(second|minute|hour|day|week)s?$/.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return { type: 'relative', amount: Number(amount), unit: unit as DateRangePickerProps.TimeUnit };
};

/**
 * A time as it stands in the URL: absolute, or so many units before now. The call refuses a text
 * that is neither.
 */
const timeOf = (text: string, now: number): string | undefined => {
  if (text === '') return undefined;
  const span = relativeIn(text);
  if (span) return timesOf(span, now).from;
  const time = millisecondsIn(text);
  return time === undefined ? text : new Date(time).toISOString();
};

/** What the URL says is wanted: the call wants positions, which begin with times. */
export const wantedIn = (given: URLSearchParams, now: number): FeedQuery => {
  const wanted: Record<string, string> = {};
  for (const { key } of properties) {
    const value = given.get(key)?.trim() ?? '';
    if (value !== '') wanted[key] = value;
  }
  if (given.get('view') !== 'events') wanted['view'] = 'messages';
  const after = timeOf(given.get('from') ?? '', now);
  if (after !== undefined) wanted['after'] = after;
  const before = timeOf(given.get('until') ?? '', now);
  if (before !== undefined) wanted['before'] = before;
  return wanted;
};

const rangeIn = (given: URLSearchParams): DateRangePickerProps.Value | null => {
  const from = given.get('from') ?? '';
  const until = given.get('until') ?? '';
  const span = relativeIn(from);
  if (span) return span;
  if (from === '' && until === '') return null;
  return { type: 'absolute', startDate: from, endDate: until };
};

const setRange = (range: DateRangePickerProps.Value | null): void => {
  if (range === null) setFilters({ from: '', until: '' });
  else if (range.type === 'relative')
    setFilters({ from: `${range.amount}-${range.unit}`, until: '' });
  else setFilters({ from: range.startDate, until: range.endDate });
};

const relative: DateRangePickerProps['relativeOptions'] = [
  { key: 'ten minutes', amount: 10, unit: 'minute', type: 'relative' },
  { key: 'an hour', amount: 1, unit: 'hour', type: 'relative' },
  { key: 'a day', amount: 1, unit: 'day', type: 'relative' },
  { key: 'a week', amount: 1, unit: 'week', type: 'relative' },
];

const checkedRange: DateRangePickerProps.ValidationFunction = range => {
  if (range?.type !== 'absolute' || range.startDate < range.endDate) return { valid: true };
  return { valid: false, errorMessage: 'The end must be after the start.' };
};

const Times = () => (
  <DateRangePicker
    value={rangeIn(useValue(filters))}
    relativeOptions={relative}
    isValidRange={checkedRange}
    placeholder="Any time, live"
    ariaLabel="Times"
    expandToViewport
    onChange={({ detail }) => setRange(detail.value)}
  />
);

/** What to show. Each filter is in the URL, so that a colleague sees the same. */
export const FeedFilters = () => {
  const given = useValue(filters);
  const known = useValue(connections);
  const tokens = properties.flatMap(({ key }) => {
    const value = given.get(key) ?? '';
    return value === '' ? [] : [{ propertyKey: key, operator: '=', value }];
  });
  const change = (next: PropertyFilterProps.Query): void => {
    const values = properties.map(({ key }) => {
      const last = next.tokens.filter(({ propertyKey }) => propertyKey === key).at(-1);
      return [key, String(last?.value ?? '')] as const;
    });
    setFilters(Object.fromEntries(values));
  };
  return (
    <div className="filters">
      <PropertyFilter
        query={{ tokens, operation: 'and' }}
        filteringProperties={properties.map(({ key, label, group }) => ({
          key,
          propertyLabel: label,
          groupValuesLabel: group,
          operators: ['='],
        }))}
        filteringOptions={optionsFor(known)}
        hideOperations
        disableFreeTextFiltering
        filteringPlaceholder="Filter by event, connection, type, rule or story"
        filteringAriaLabel="Filter the activity"
        expandToViewport
        onChange={({ detail }) => change(detail)}
      />
      <Times />
    </div>
  );
};
