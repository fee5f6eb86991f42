import { type ScalarTag, stringify, type Tags } from 'yaml';
import { isNumberAsWritten, textAsWritten } from './as-written.ts';

const writtenNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isNumberAsWritten,
  resolve: Number,
  stringify: ({ value }) => textAsWritten(value),
};

const customTags = (tags: Tags): Tags => [writtenNumber, ...tags];

/** A value in YAML, its numbers with every digit. */
export const yamlAsWritten = (value: unknown, lineWidth: number): string =>
  stringify(value, { aliasDuplicateObjects: false, lineWidth, customTags });
