import { readFileSync } from 'node:fs';
import type { Json, Schema } from './som-schemas.ts';

const inlined = (value: Json, defs: Readonly<Record<string, Json>>): Json => {
  if (Array.isArray(value)) return value.map(item => inlined(item, defs));
  if (typeof value !== 'object' || value === null) return value;
  const target = '$ref' in value ? value['$ref'] : undefined;
  if (typeof target === 'string') return inlined(defs[target.replace('#/$defs/', '')] ?? null, defs);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, inlined(inner ?? null, defs)]),
  );
};

/** The answer of the library route, from the schema the library itself is checked with. */
export const skillLibrary = (): Schema => {
  const {
    $schema: _dialect,
    $defs,
    ...schema
  } = JSON.parse(readFileSync('skills/schemas/library-answer.schema.json', 'utf8'));
  return inlined(schema, $defs) as Schema;
};
