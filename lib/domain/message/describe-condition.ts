import { valueAt } from './pointer.ts';

/** The conditions of each payload whose message_type starts like this. */
const ofPayloads: readonly (readonly [string, string])[] = [
  ['story.context', 'lifecycle goes with story_type ACTIVE: it has to be there then, and only then.'],
  [
    'telling.',
    'telling.started needs exposure_start and has no exposure_end; telling.ended needs exposure_end; telling.exposed needs both.',
  ],
  [
    'link.',
    'link.committed needs committed_by and committed_at; withdrawn goes with link.withdrawn, and only with it.',
  ],
];

const ofClaims =
  'A FACT_CHECK claim needs metric and value, a DETECTION claim detection_class and verdict, a MATCH claim story_id.';

const ofAuthors =
  'A HUMAN author has no model and no model_version; take them out, or name MODEL as the author.';

/** What SOM 1.0 asks for at a place where a condition (if, not) fails. */
export const describeCondition = (path: string, message: unknown): string => {
  if (path.endsWith('/provenance')) return ofAuthors;
  if (path.startsWith('/payload/assertions/')) return ofClaims;
  const type = `${valueAt(message, '/message_type')}`;
  const [, words] = ofPayloads.find(([start]) => type.startsWith(start)) ?? [];
  return words ?? 'These members do not go together; the other violations here say why.';
};
