import { stringify } from 'yaml';
import { generable, ref, type Schema } from './components.ts';
import { skillInstance } from './examples.ts';
import { body, json, type Operation, valued } from './operation.ts';
import * as schemas from './response-schemas.ts';
import { corsHeaders, portalRefusals, response } from './responses.ts';
import { libraryExamples, reportExamples, skillRefusalMessages } from './skill-examples.ts';

/**
 * Types are what a valid instance has. Whatever else is sent is answered too, with its problems.
 */
const skillInstanceSchema: Schema = {
  title: 'A configured skill instance',
  description:
    'A valid instance has skill_id, instance_label and values, and no members other than ' +
    'these. An invalid one is not refused: the response lists its problems.',
  type: 'object',
  properties: {
    skill_id: schemas.text('The skill to configure, as `<namespace>/<name>`.'),
    skill_version: schemas.text('A version of the library (default: the current one).'),
    instance_label: schemas.text(
      'The name of the instance, unique in a list. Its warnings carry it as rule_id.',
    ),
    values: {
      type: 'object',
      description:
        'A value for each field of the skill, of the kind that the library gives for the field.',
    },
    authority_scale: {
      type: 'array',
      items: { type: 'string' },
      description:
        "The newsroom's authorities, the most senior first. Mandatory where the library says " +
        '`required`. Every authority in `values` must be one of them.',
    },
    consumer: { description: 'Who the instance is for. Not checked.' },
  },
};

const instance = ref('SkillInstance');
const instances: Schema = { type: 'array', items: instance };

/** What is sent to the routes of the catalogue, by component. */
export const skillSchemas: Readonly<Record<string, Schema>> = {
  SkillInstance: generable(skillInstanceSchema),
  InstanceToCheck: schemas.closed({ instance }),
  SkillsToCheck: schemas.closed({ skills: instances }),
  YamlToCheck: schemas.closed({ yaml: { type: 'string' } }),
};

const yamlText = stringify([skillInstance], { lineWidth: 0 });

const skillError = (status: string, code: keyof typeof skillRefusalMessages, meaning: string) => ({
  [status]: response(`- \`${code}\`: ${meaning}`, {
    schema: ref('PortalError'),
    headers: corsHeaders,
    rules: [code],
    examples: { [code]: { code, message: skillRefusalMessages[code] } },
  }),
});

/** What an unchanged response is asked for with. */
export const ifNoneMatch: Schema = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETags of the versions you have.',
  schema: { type: 'string' },
};

export const skillLibrary: Operation = {
  description: 'The skills as data. They change only with the library: send If-None-Match.',
  parameters: [
    {
      name: 'version',
      in: 'query',
      description: 'A version of the library.',
      schema: { type: 'string' },
    },
    ifNoneMatch,
  ],
  responses: {
    200: response('The library.', {
      schema: ref('SkillLibrary'),
      headers: [...corsHeaders, 'cache-control', 'etag'],
      examples: libraryExamples,
    }),
    304: response('Not modified: you have the current version.', {
      headers: [...corsHeaders, 'cache-control', 'etag'],
    }),
    ...skillError('404', 'skills.version_unknown', 'There is no such version of the library.'),
    ...portalRefusals(),
  },
};

export const skillValidate: Operation = {
  description: 'Checks skill instances. Nothing is stored.',
  requestBody: body({
    [json]: {
      schema: {
        anyOf: [ref('InstanceToCheck'), ref('SkillsToCheck'), ref('YamlToCheck'), instances],
      },
      examples: valued({
        instance: { instance: skillInstance },
        skills: { skills: [skillInstance] },
        list: [skillInstance],
        yaml: { yaml: yamlText },
      }),
    },
    'application/yaml': {
      schema: { type: 'string' },
      examples: valued({ file: stringify({ skills: [skillInstance] }) }),
    },
  }),
  responses: {
    200: response('The result of the check, valid or not.', {
      schema: ref('SkillReport'),
      headers: [...corsHeaders, 'cache-control'],
      examples: reportExamples,
    }),
    ...skillError(
      '400',
      'skills.unreadable',
      'The body is empty, too large, or contains no readable instances.',
    ),
    ...portalRefusals(),
  },
};
