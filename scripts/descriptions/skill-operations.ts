import * as schemas from './answer-schemas.ts';
import { answer, corsHeaders, portalRefusals } from './answers.ts';
import { skillInstance } from './examples.ts';
import { body, json, type Operation, valued } from './operation.ts';
import { skillLibrary as skillLibrarySchema } from './skill-library-schema.ts';
import type { Schema } from './som-schemas.ts';

const instance: Schema = { type: 'object', description: 'A configured skill instance.' };
const instances: Schema = { type: 'array', items: instance };
const yamlText = '- {skill_id: smart-stories/flag-on-mismatch, instance_label: one, values: {}}\n';

const skillError = (status: string, code: string) => ({
  [status]: answer(`- \`${code}\``, {
    schema: schemas.portalErrorOf([code]),
    headers: corsHeaders,
    examples: { [code]: { code, message: 'What is wrong, in a sentence.' } },
  }),
});

/** What an unchanged answer is asked for with. */
export const ifNoneMatch: Schema = {
  name: 'If-None-Match',
  in: 'header',
  description: 'Tags you have.',
  schema: { type: 'string' },
};

export const skillLibrary: Operation = {
  description: 'The skills as data. It changes only when the library does: ask with If-None-Match.',
  parameters: [
    { name: 'version', in: 'query', description: 'A version of the library.', schema: { type: 'string' } },
    ifNoneMatch,
  ],
  responses: {
    200: answer('The library.', {
      schema: skillLibrarySchema(),
      headers: [...corsHeaders, 'cache-control', 'etag'],
    }),
    304: answer('It is what you have.', { headers: [...corsHeaders, 'cache-control', 'etag'] }),
    ...skillError('404', 'skills.version_unknown'),
    ...portalRefusals(),
  },
};

export const skillValidate: Operation = {
  description: 'Checks configured instances. Nothing is stored.',
  requestBody: body({
    [json]: {
      schema: {
        anyOf: [
          schemas.closed({ instance }),
          schemas.closed({ skills: instances }),
          schemas.closed({ yaml: { type: 'string' } }),
          instances,
        ],
      },
      examples: valued({
        instance: { instance: skillInstance },
        skills: { skills: [skillInstance] },
        list: [skillInstance],
        yaml: { yaml: yamlText },
      }),
    },
    'application/yaml': { schema: { type: 'string' }, examples: valued({ file: `skills:\n${yamlText}` }) },
  }),
  responses: {
    200: answer('What was found, valid or not.', {
      schema: schemas.skillReport,
      headers: [...corsHeaders, 'cache-control'],
    }),
    ...skillError('400', 'skills.unreadable'),
    ...portalRefusals(),
  },
};
