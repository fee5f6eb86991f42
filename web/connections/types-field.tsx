import FormField from '@cloudscape-design/components/form-field';
import Multiselect from '@cloudscape-design/components/multiselect';
import { messageTypes, typesWithoutSchema } from '../../lib/contract/message-types.ts';
import { matches } from '../../lib/registry/patterns.ts';

const known = [...messageTypes, ...typesWithoutSchema];

const familyOf = (type: string): string => `${type.slice(0, type.indexOf('.'))}.*`;

/** What can be chosen: everything, a family, or a type of SOM 1.0. */
const offered = ['*', ...new Set(known.map(familyOf)), ...known];

const described = (pattern: string) => {
  const found = known.filter(type => matches(pattern, type));
  return {
    value: pattern,
    label: pattern,
    ...(pattern === '*' ? { description: 'every message type' } : {}),
    ...(pattern.endsWith('.*') ? { description: found.join(', ') } : {}),
  };
};

/** Message types to choose: all, families, or single ones. */
export const TypesField = ({
  label,
  chosen,
  allowed,
  change,
}: {
  readonly label: string;
  readonly chosen: readonly string[];
  /** Patterns that an invitation allows. Absent: all. */
  readonly allowed?: readonly string[];
  change(patterns: readonly string[]): void;
}) => {
  const choices = allowed && !allowed.includes('*') ? allowed : offered;
  const found = known.filter(type => chosen.some(pattern => matches(pattern, type)));
  return (
    <FormField
      label={label}
      description="Message types, families such as story.*, or * for everything."
      constraintText={
        chosen.length === 0
          ? 'Choose at least one.'
          : found.length === known.length
            ? 'Matches every message type.'
            : `Matches ${found.join(', ')}.`
      }
    >
      <Multiselect
        selectedOptions={chosen.map(described)}
        options={[...new Set([...choices, ...chosen])].map(described)}
        filteringType="auto"
        placeholder="Choose message types"
        expandToViewport
        deselectAriaLabel={({ label: name = '' }) => `Remove ${name}`}
        onChange={({ detail }) => change(detail.selectedOptions.map(({ value = '' }) => value))}
      />
    </FormField>
  );
};
