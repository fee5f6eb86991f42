import { Document, isScalar, type ScalarTag, type Tags, visit } from 'yaml';
import { isNumberAsWritten, textAsWritten } from './as-written.ts';

const writtenNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: isNumberAsWritten,
  resolve: Number,
  stringify: ({ value }) => textAsWritten(value),
};

const customTags = (tags: Tags): Tags => [writtenNumber, ...tags];

/** In quotes it is a member of that name; readers of YAML 1.1 take a plain one for a merge key. */
const quoteMergeKeys = (document: Document): void =>
  visit(document, {
    Pair(_at, { key }) {
      if (isScalar(key) && key.value === '<<') key.type = 'QUOTE_DOUBLE';
    },
  });

/** A value in YAML, its numbers with every digit. */
export const yamlAsWritten = (value: unknown, lineWidth: number): string => {
  const document = new Document(value, { aliasDuplicateObjects: false, customTags });
  quoteMergeKeys(document);
  return document.toString({ lineWidth });
};
