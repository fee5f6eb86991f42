import { readFileSync } from 'node:fs';
import Ajv, { _, type CodeKeywordDefinition, type KeywordCxt, nil, type SchemaObject, str } from 'ajv';
import { not, or } from 'ajv/dist/compile/codegen';
import names from 'ajv/dist/compile/names';
import { alwaysValidSchema, schemaRefOrVal, Type } from 'ajv/dist/compile/util';
import standaloneCode from 'ajv/dist/standalone';
import { allSchemaProperties, hasPropFunc, usePattern } from 'ajv/dist/vocabularies/code';
import { limits } from '../../lib/contract/limits.ts';
import { schemaNames } from '../../lib/contract/message-types.ts';
import { duplicateItems } from '../../lib/json/canonical-form.ts';
import { formats } from '../../lib/json/formats.ts';

/**
 * Failures after which an array is left: an answer names 50, and composite schemas report one finding up to
 * four times.
 */
const enough = 4 * limits.violationsReported;

/** ajv's `items`, except that it leaves the array once enough is known to be wrong. */
const boundedItems: CodeKeywordDefinition = {
  keyword: 'items',
  type: 'array',
  schemaType: ['object', 'boolean'],
  before: 'uniqueItems',
  code(cxt: KeywordCxt) {
    const { gen, schema, data, keyword, it } = cxt;
    it.items = true;
    if (alwaysValidSchema(it, schema)) return;
    const valid = gen.name('valid');
    const allValid = gen.let('valid', true);
    const length = gen.const('len', _`${data}.length`);
    const i = gen.name('i');
    gen.for(_`let ${i} = 0; ${i} < ${length} && ${names.errors} < ${enough}; ${i}++`, () => {
      cxt.subschema({ keyword, dataProp: i, dataPropType: Type.Num }, valid);
      gen.if(not(valid), () => gen.assign(allValid, false));
    });
    cxt.ok(allValid);
  },
};

/** ajv's `additionalProperties: false`, except that it leaves the object once enough is known to be wrong. */
const boundedAdditionalProperties: CodeKeywordDefinition = {
  keyword: 'additionalProperties',
  type: 'object',
  schemaType: 'boolean',
  trackErrors: true,
  error: {
    message: str`must NOT have additional properties`,
    params: ({ params }) => _`{additionalProperty: ${params['key']}}`,
  },
  code(cxt: KeywordCxt) {
    const { gen, schema, parentSchema, data, it, errsCount } = cxt;
    if (schema !== false) return;
    const properties = schemaRefOrVal(it, parentSchema['properties'] ?? {}, 'properties');
    const patterns = allSchemaProperties(parentSchema['patternProperties']);
    gen.forOf('key', _`Object.keys(${data})`, key => {
      const isKnown =
        'properties' in parentSchema ? [_`${hasPropFunc(gen)}.call(${properties}, ${key})`] : [];
      const isExtension = patterns.map(pattern => _`${usePattern(cxt, pattern)}.test(${key})`);
      gen.if(not(or(...isKnown, ...isExtension)), () => {
        cxt.setParams({ key });
        cxt.error();
        gen.if(_`${names.errors} >= ${enough}`, () => gen.break());
      });
    });
    cxt.ok(_`${errsCount} === ${names.errors}`);
  },
};

/** ajv's `uniqueItems` compares each object with each other one; this one is linear. */
const linearUniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: str`must NOT have duplicate items`,
    params: ({ params }) => _`${params['pair'] ?? nil}`,
  },
  code(cxt: KeywordCxt) {
    const { gen, data, schema } = cxt;
    if (schema !== true) return;
    const find = gen.scopeValue('func', { ref: duplicateItems, code: _`duplicateItems` });
    const pair = gen.const('pair', _`${find}(${data})`);
    cxt.setParams({ pair });
    cxt.fail(_`${pair} !== undefined`);
  },
};

const newAjv = () => {
  // The draft-07 class: what the schemas use means the same in it, and 2020-12's bookkeeping costs time.
  const ajv = new Ajv({
    allErrors: true,
    // The lint of the schemas holds them against their meta-schema.
    meta: false,
    validateSchema: false,
    messages: false,
    ownProperties: true,
    strictTypes: false,
    strictRequired: false,
    formats,
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  for (const keyword of [boundedItems, boundedAdditionalProperties, linearUniqueItems]) {
    ajv.removeKeyword(String(keyword.keyword));
    ajv.addKeyword(keyword);
  }
  return ajv;
};

export const readSchema = (name: string): SchemaObject =>
  JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8'));

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

const isLoosened = (member: string, value: Json): boolean =>
  (member === 'enum' && Array.isArray(value)) || (member === 'additionalProperties' && value === false);

/** A schema less what a later 1.x may add to: members of closed objects and of enums. */
const loosened = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(loosened);
  if (schema === null || typeof schema !== 'object') return schema;
  const kept = Object.entries(schema).filter(([member, value]) => !isLoosened(member, value));
  return Object.fromEntries(kept.map(([member, value]) => [member, loosened(value)]));
};

/** A schema less what is there for people and for choosing a dialect. */
const withoutWords = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(withoutWords);
  if (schema === null || typeof schema !== 'object') return schema;
  const kept = Object.entries(schema).filter(
    ([member, value]) => !['$schema', 'description', 'title'].includes(member) || typeof value !== 'string',
  );
  return Object.fromEntries(kept.map(([member, value]) => [member, withoutWords(value)]));
};

const camelCase = (name: string): string => name.replace(/-(.)/g, (_match, letter) => letter.toUpperCase());

const functionsOf = (change: (schema: Json) => Json): string => {
  const ajv = newAjv();
  const ids: Record<string, string | undefined> = {};
  for (const name of schemaNames) {
    const schema = change(withoutWords(readSchema(name)));
    ajv.addSchema(schema as SchemaObject);
    ids[camelCase(name)] = (schema as SchemaObject)['$id'];
  }
  return standaloneCode(ajv, ids as Record<string, string>);
};

const header = (about: string): string =>
  [
    `// Made by the build from schemas/*.schema.json (${about}): scripts/generators/validators.ts.`,
    "import ucs2length from 'ajv/dist/runtime/ucs2length';",
    "import { duplicateItems } from '../json/canonical-form.ts';",
    "import { formats } from '../json/formats.ts';",
    '',
  ].join('\n');

const asModule = (code: string): string => {
  const text = code
    .replace('"use strict";', '')
    // Nobody reads it, and it is a sixth of the code.
    .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', 'ucs2length');
  if (text.includes('require('))
    throw new Error(`unexpected require in: ${/require\([^)]*\)/.exec(text)?.[0]}`);
  return text;
};

const declared = schemaNames.map(name => `export const ${camelCase(name)}: SchemaValidator;\n`).join('');

const declarations = `/** One failure as ajv reports it, without its text. */
export interface SchemaFailure {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Where the data sits in the message that failures point into. */
export interface Place {
  readonly instancePath: string;
  readonly parentData: object;
  readonly parentDataProperty: string;
}

export interface SchemaValidator {
  /** True when \`data\` is valid; otherwise \`errors\` says why, until the next call. */
  (data: unknown, place?: Place): boolean;
  errors?: readonly SchemaFailure[] | null;
}

${declared}`;

/** The validators of the schemas and their declarations, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> =>
  new Map([
    ['som-1.0.generated.js', header('as they are') + asModule(functionsOf(schema => schema))],
    ['som-1.0.generated.d.ts', declarations],
    ['som-1.x.generated.js', header('less enum and additionalProperties') + asModule(functionsOf(loosened))],
    [
      'som-1.x.generated.d.ts',
      `import type { SchemaValidator } from './som-1.0.generated.js';\n\n${declared}`,
    ],
  ]);
