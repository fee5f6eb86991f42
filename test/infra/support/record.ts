import { place } from '../../../scripts/permissions/deployment.ts';
import type { Resource } from './stacks.ts';

/*
 * What templates contain, as text: by type what all its resources have, then a line for each with
 * what it has of its own.
 */

/** Names that the CDK makes of code, and places that settings may name: both say nothing here. */
const withoutHashes = (text: string): string =>
  text
    .replace(/(?<=Deployment\w*?)[0-9a-f]{32}/g, '')
    .replace(/(?<=CurrentVersion)[0-9A-F]{8}[0-9a-f]{32}/g, '')
    .replace(/[0-9a-f]{64}/g, 'hash')
    .replace(/(?<=[A-Za-z])[0-9A-F]{8}(?=\W|$)/g, '')
    .replaceAll(place.account, '{AWS::AccountId}')
    .replaceAll(place.region, '{AWS::Region}')
    .replaceAll('{AWS::Partition}', place.partition)
    .replaceAll('{AWS::Region}:{AWS::AccountId}', 'here');

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ofReference = ([name, of]: readonly [string, unknown]): string | undefined => {
  if (name === 'Ref') return `{${of}}`;
  if (name === 'Fn::ImportValue') return `{${String(of).replace(/^.*:/, '')}}`;
  if (!Array.isArray(of)) return undefined;
  if (name === 'Fn::GetAtt') return `{${of.join('.')}}`;
  if (name !== 'Fn::Join') return undefined;
  const [separator, parts]: readonly unknown[] = of;
  return (parts as readonly unknown[]).map(shown).join(String(separator));
};

/** What a policy says anyway. */
const isUsual = (name: string, value: unknown): boolean =>
  (name === 'Effect' && value === 'Allow') || (name === 'Version' && value === '2012-10-17');

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const [first, ...more] = Object.entries(value);
  const reference = first && more.length === 0 ? ofReference(first) : undefined;
  if (reference !== undefined) return reference;
  const members = Object.entries(value).filter(([name, member]) => !isUsual(name, member));
  return `{${members.map(([name, member]) => `${name}: ${shown(member)}`).join(', ')}}`;
};

interface Recorded {
  readonly type: string;
  readonly id: string;
  /** Each property and each attribute, with its value. */
  readonly values: readonly string[];
}

const recorded = ({ id, Type: type, Properties = {}, ...attributes }: Resource): Recorded => ({
  type,
  id: withoutHashes(id),
  values: Object.entries({ ...Properties, ...attributes }).map(([name, value]) =>
    withoutHashes(`${name}: ${shown(value)}`),
  ),
});

/** A line for each resource of a type, after what all of them have. */
const linesOf = (all: readonly Recorded[]): readonly string[] => {
  const [first] = all;
  if (all.length < 2 || !first) return all.map(({ id, values }) => [id, ...values].join(' | '));
  const shared = first.values.filter(one => all.every(({ values }) => values.includes(one)));
  const own = all.map(({ id, values }) =>
    [id, ...values.filter(one => !shared.includes(one))].join(' | '),
  );
  return [['all', ...shared].join(' | '), ...own];
};

const sections = (all: readonly Recorded[]): string => {
  const types = [...new Set(all.map(({ type }) => type))].sort();
  return types
    .map(type => [type, ...linesOf(all.filter(one => one.type === type))].join('\n  '))
    .join('\n');
};

/** The record of resources. */
export const recordOf = (resources: readonly Resource[]): string =>
  sections(resources.map(recorded));

/** The record of what resources have that others, of the same names, have not. */
export const recordOfMore = (resources: readonly Resource[], than: readonly Resource[]): string => {
  const before = than.map(recorded);
  const more = resources.map(recorded).map(one => {
    const same = before.find(({ type, id }) => type === one.type && id === one.id);
    return {
      ...one,
      isNew: !same,
      values: one.values.filter(value => same?.values.includes(value) !== true),
    };
  });
  return sections(more.filter(({ isNew, values }) => isNew || values.length > 0));
};
