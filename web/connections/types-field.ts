import { matches } from '../../lib/access/registry/patterns.ts';
import { messageTypes, typesWithoutSchema } from '../../lib/contract/message-types.ts';
import type { Option } from '../page/form.tsx';

const known = [...messageTypes, ...typesWithoutSchema];

const familyOf = (type: string): string => `${type.slice(0, type.indexOf('.'))}.*`;

/** What can be chosen: everything, a family, or a type of SOM 1.0. */
const offered = ['*', ...new Set(known.map(familyOf)), ...known];

const described = (pattern: string): Option => ({
  value: pattern,
  label: pattern,
  ...(pattern === '*' ? { description: 'every message type' } : {}),
  ...(pattern.endsWith('.*')
    ? { description: known.filter(type => matches(pattern, type)).join(', ') }
    : {}),
});

const matchWords = (chosen: readonly string[]): string => {
  if (chosen.length === 0) return '';
  const found = known.filter(type => chosen.some(pattern => matches(pattern, type)));
  return found.length === known.length
    ? 'Matches every message type.'
    : `Matches ${found.join(', ')}.`;
};

/**
 * A field of message types to choose: all, families, or single ones.
 *
 * @param allowed patterns that an invitation allows; absent: all
 */
export const typesField = <N extends string>(
  name: N,
  label: string,
  chosen: readonly string[],
  allowed: readonly string[] = ['*'],
) => ({
  name,
  label,
  description: 'Message types, families such as story.*, or * for everything.',
  constraint: matchWords(chosen),
  options: [...new Set([...(allowed.includes('*') ? offered : allowed), ...chosen])].map(described),
  placeholder: 'Choose message types',
});
