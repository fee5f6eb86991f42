import { families } from '../../../lib/contract/message-types.ts';
import { readMessage } from '../../../lib/som/messages/read-message.ts';
import { readSchema } from '../../../scripts/generators/validators.ts';
import { bytesOf, envelope, type Json } from '../../corpus/messages.ts';
import { fullMessage } from '../../corpus/payloads.ts';

/** Every name that some schema requires somewhere. */
const requiredNames = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  const { required } = schema as Json;
  return [
    ...(Array.isArray(required) ? required : []),
    ...Object.values(schema).flatMap(requiredNames),
  ];
};

const required = new Set(
  ['envelope', ...new Set(families.values())].flatMap(name => requiredNames(readSchema(name))),
);

type Path = readonly string[];

const placesOf = (value: unknown, path: Path = []): readonly Path[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, name];
    return [
      ...(!Array.isArray(value) && required.has(name) ? [here] : []),
      ...placesOf(inner, here),
    ];
  });
};

const without = (message: Json, path: Path): Json => {
  const copy: Json = JSON.parse(JSON.stringify(message));
  const parent = path.slice(0, -1).reduce((object, name) => object[name] as Json, copy);
  delete parent[path.at(-1) ?? ''];
  return copy;
};

const hintsOf = (message: Json): readonly string[] => {
  const read = readMessage(bytesOf(message));
  return read.ok ? [] : read.violations.map(({ path = '', message: words }) => `${path} ${words}`);
};

/**
 * What the first hint should be once a member was removed: that it is missing, or that one of two
 * is.
 */
const expected = (path: Path): readonly string[] => {
  const parent = path
    .slice(0, -1)
    .map(name => `/${name}`)
    .join('');
  return [
    `${parent} The member "${path.at(-1)}" is missing; add it.`,
    ...(['source', 'locator'].includes(path.at(-1) ?? '')
      ? [`${parent} This needs "source" or "locator"; add one of them.`]
      : []),
    ...(['source', 'locator', 'time_range'].includes(path.at(-1) ?? '')
      ? [`${parent} This needs "time_range", and "source" or "locator".`]
      : []),
  ];
};

/** The first hints that mislead after each required member of a message was removed in turn. */
const misleading = (message: Json): readonly string[] => {
  const [before] = hintsOf(message);
  return placesOf(message).flatMap(path => {
    const [first] = hintsOf(without(message, path));
    if (first === undefined) return [];
    return first === before || expected(path).includes(first)
      ? []
      : [`${path.join('/')}: ${first}`];
  });
};

test.each([...families.keys()])(
  'the first hint names the member that was removed from a full %s',
  type => {
    expect(misleading(fullMessage(type))).toEqual([]);
  },
);

const { withdrawn: _withdrawn, ...committed } = fullMessage('link.committed')['payload'] as Json;

test.each([
  [
    'link.committed',
    without(envelope('link.committed', committed), ['payload', 'message_type']),
    [
      'The member "message_type" is missing; add it.',
      'Add "message_type": "link.committed" first; it decides what else is needed here.',
    ],
  ],
  [
    'story.context',
    without(fullMessage('story.context'), ['payload', 'story_type']),
    [
      'The member "story_type" is missing; add it.',
      'Add "story_type" first; it decides what else is needed here.',
    ],
  ],
])('a %s without the member that decides its form is told to add that', (_type, message, words) => {
  const hints = hintsOf(message).map(hint => hint.replace('/payload ', ''));
  expect([...new Set(hints)]).toEqual(words);
});
