import { readFileSync } from 'node:fs';
import Ajv, {
  _,
  type Code,
  type CodeKeywordDefinition,
  type KeywordCxt,
  nil,
  type SchemaObject,
  str,
  stringify,
} from 'ajv';
import { not, or } from 'ajv/dist/compile/codegen';
import names from 'ajv/dist/compile/names';
import { alwaysValidSchema, Type } from 'ajv/dist/compile/util';
import standaloneCode from 'ajv/dist/standalone';
import { allSchemaProperties, hasPropFunc, usePattern } from 'ajv/dist/vocabularies/code';
import { limits } from '../../lib/contract/limits.ts';
import { schemaNames } from '../../lib/contract/message-types.ts';
import { duplicateItems } from '../../lib/platform/json/canonical-form.ts';
import { formats } from '../../lib/platform/json/formats.ts';

/**
 * Failures after which an array is left: a response names 50, and composite schemas report one
 * finding up to four times.
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

/**
 * What a validator is called with (`this`): a later 1.x may add members of closed objects and of
 * enums.
 */
const isOpen = _`this.open`;

/** A set of texts as a constant of the generated module. */
const setOf = (cxt: KeywordCxt, texts: readonly string[]): Code =>
  cxt.gen.scopeValue('obj', {
    key: `set ${texts}`,
    ref: texts,
    code: _`new Set(${stringify(texts)})`,
  });

/** ajv's `enum` of texts, except that it takes anything in a later 1.x. */
const openEnum: CodeKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  error: {
    message: str`must be equal to one of the allowed values`,
    params: ({ params }) => _`{allowedValues: [...${params['allowed'] ?? nil}]}`,
  },
  code(cxt: KeywordCxt) {
    const allowed = setOf(cxt, cxt.schema);
    cxt.setParams({ allowed });
    cxt.fail(_`!${isOpen} && !${allowed}.has(${cxt.data})`);
  },
};

/** ajv's `required`, with one loop where ajv writes out each member. */
const loopedRequired: CodeKeywordDefinition = {
  keyword: 'required',
  type: 'object',
  schemaType: 'array',
  error: {
    message: str`must have required property`,
    params: ({ params }) => _`{missingProperty: ${params['missing']}}`,
  },
  code(cxt: KeywordCxt) {
    const { gen, data, schema } = cxt;
    const names = gen.scopeValue('obj', {
      key: `list ${schema}`,
      ref: schema,
      code: stringify(schema),
    });
    gen.forOf('missing', names, missing => {
      gen.if(_`!${hasPropFunc(gen)}.call(${data}, ${missing})`, () => {
        cxt.setParams({ missing });
        cxt.error();
      });
    });
  },
};

/**
 * ajv's `additionalProperties: false`, except that it leaves the object once enough is known to be
 * wrong, and takes anything in a later 1.x.
 */
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
    const { gen, schema, parentSchema, data, errsCount } = cxt;
    if (schema !== false) return;
    const known = allSchemaProperties(parentSchema['properties']);
    const patterns = allSchemaProperties(parentSchema['patternProperties']);
    gen.if(not(isOpen), () => {
      gen.forOf('key', _`Object.keys(${data})`, key => {
        const isKnown = known.length > 0 ? [_`${setOf(cxt, known)}.has(${key})`] : [];
        const isExtension = patterns.map(pattern => _`${usePattern(cxt, pattern)}.test(${key})`);
        gen.if(not(or(...isKnown, ...isExtension)), () => {
          cxt.setParams({ key });
          cxt.error();
          gen.if(_`${names.errors} >= ${enough}`, () => gen.break());
        });
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
  // The draft-07 class: what the schemas use means the same in it, and 2020-12's bookkeeping costs
  // time.
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
    passContext: true,
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  for (const keyword of [
    boundedItems,
    boundedAdditionalProperties,
    linearUniqueItems,
    openEnum,
    loopedRequired,
  ]) {
    ajv.removeKeyword(String(keyword.keyword));
    ajv.addKeyword(keyword);
  }
  return ajv;
};

export const readSchema = (name: string): SchemaObject =>
  JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8'));

type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [member: string]: Json };

/** A schema less what is there for people and for choosing a dialect. */
const withoutWords = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(withoutWords);
  if (schema === null || typeof schema !== 'object') return schema;
  const kept = Object.entries(schema).filter(
    ([member, value]) =>
      !['$schema', 'description', 'title'].includes(member) || typeof value !== 'string',
  );
  return Object.fromEntries(kept.map(([member, value]) => [member, withoutWords(value)]));
};

const camelCase = (name: string): string =>
  name.replace(/-(.)/g, (_match, letter) => letter.toUpperCase());

const functions = (): string => {
  const ajv = newAjv();
  const ids: Record<string, string> = {};
  for (const name of schemaNames) {
    const schema = withoutWords(readSchema(name)) as SchemaObject;
    ajv.addSchema(schema);
    ids[camelCase(name)] = String(schema['$id']);
  }
  return standaloneCode(ajv, ids);
};

const header = `// Made by the build from schemas/*.schema.json: scripts/generators/validators.ts.
import ucs2length from 'ajv/dist/runtime/ucs2length';
import { duplicateItems } from '../platform/json/canonical-form.ts';
import { formats } from '../platform/json/formats.ts';

const note = (failures, instancePath, keyword, params) => {
  const failure = { instancePath, keyword, params };
  if (failures === null) return [failure];
  failures.push(failure);
  return failures;
};
`;

/** The lines with which ajv reports a failure: two thirds of its code. */
const report =
  /const (err\d+) = \{(?:instancePath(?::(.+?))?,keyword:(".+?"),params:(.+))?\};\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;/g;

const asModule = (code: string): string => {
  const text = code
    .replace('"use strict";', '')
    // Nobody reads it, and it is a sixth of the code.
    .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
    .replaceAll(
      report,
      (_text, _name, path = 'instancePath', keyword = '""', params = '{}') =>
        `vErrors = note(vErrors, ${path}, ${keyword}, ${params});\nerrors++;`,
    )
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', 'ucs2length');
  const unknown = /require\([^)]*\)|const err\d.*/.exec(text)?.[0];
  if (unknown !== undefined)
    throw new Error(`The generator does not know what to do with ${unknown}`);
  return text;
};

const declared = schemaNames
  .map(name => `export const ${camelCase(name)}: SchemaValidator;\n`)
  .join('');

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

/** Whether members of closed objects and of enums may be added, as in a later 1.x. */
export interface Openness {
  readonly open: boolean;
}

export interface SchemaValidator {
  /** True when \`data\` is valid; otherwise \`errors\` says why, until the next call. */
  (this: Openness, data: unknown, place?: Place): boolean;
  errors?: readonly SchemaFailure[] | null;
}

${declared}`;

/** The validators of the schemas and their declarations, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> =>
  new Map([
    ['som-1.generated.js', header + asModule(functions())],
    ['som-1.generated.d.ts', declarations],
  ]);
