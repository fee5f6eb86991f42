import { matches } from '../../lib/access/registry/patterns.ts';
import { messageTypes, typesWithoutSchema } from '../../lib/contract/message-types.ts';
import { type Option, optionOf } from '../page/form.tsx';

const known = [...messageTypes, ...typesWithoutSchema];

const familyOf = (type: string): string => `${type.slice(0, type.indexOf('.'))}.*`;

/** What can be chosen: everything, a family, or a type of SOM 1.0. */
const offered = ['*', ...new Set(known.map(familyOf)), ...known];

const described = (pattern: string): Option => {
  const option = optionOf(pattern);
  if (pattern === '*') return { ...option, description: 'every message type' };
  if (!pattern.endsWith('.*')) return option;
  const types = known.filter(type => matches(pattern, type));
  return { ...option, description: types.join(', ') };
};

const matchWords = (chosen: readonly string[]): string => {
  if (chosen.length === 0) return '';
  const found = known.filter(type => chosen.some(pattern => matches(pattern, type)));
  if (found.length === known.length) return 'Matches every message type.';
  return `Matches ${found.join(', ')}.`;
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
) => {
  const patterns = allowed.includes('*') ? offered : allowed;
  return {
    name,
    label,
    description: 'Message types, families such as story.*, or * for everything.',
    constraint: matchWords(chosen),
    options: [...new Set([...patterns, ...chosen])].map(described),
    placeholder: 'Choose message types',
  };
};
