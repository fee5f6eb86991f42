import { readFileSync } from 'node:fs';
import { readYaml } from '../../lib/platform/json/yaml.ts';
import { skillRulebook } from '../../lib/skills/describe-library.ts';
import { validateSkills } from '../../lib/skills/read-submission.ts';
import { hostileYaml, unwantedYaml } from './hostile.ts';

export const validate = validateSkills(skillRulebook);

const corpus = readYaml(readFileSync('test/corpus/skills/valid.yaml', 'utf8'));
const models = corpus.kind === 'value' ? (corpus.value as { skills: object[] }).skills : [];

/** The most instances that a body may hold, all valid. */
export const instances = Array.from({ length: 200 }, (_, index) => ({
  ...models[index % models.length],
  instance_label: `instance-${index}`,
}));

const yaml = 'application/yaml';
const texts = {
  ...hostileYaml,
  ...Object.fromEntries(Object.entries(unwantedYaml).map(([title, [text]]) => [title, text])),
};

const jsonBodies: readonly (readonly [string, Buffer])[] = [
  ['256 KB and a byte', Buffer.alloc(262_145, 'a')],
  ['JSON 10,000 deep', Buffer.from('['.repeat(10_000) + ']'.repeat(10_000))],
  [
    'JSON 100,000 deep in a value',
    Buffer.from(`[{"values":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`),
  ],
  [
    '60,000 unknown fields',
    Buffer.from(
      JSON.stringify([
        {
          ...models[1],
          values: Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [`f${i}`, 1])),
        },
      ]),
    ),
  ],
  [
    '200 instances with every field wrong',
    Buffer.from(
      JSON.stringify(
        instances.map(instance => ({
          ...instance,
          authority_scale: Array(20).fill('nobody-in-particular'),
          values: {
            match_field: 'assts.statsu.lifecycl',
            watched_field: 'premis.actal',
            clearing_authority: 'nobody-in-praticular',
            severty: 'x',
            sevrity: 'y',
            bound_scop: 'z',
            providers: ['a'],
          },
        })),
      ),
    ),
  ],
  [
    'ten thousand unknown fields in 200 instances',
    Buffer.from(
      JSON.stringify(
        instances.map(instance => ({
          ...instance,
          values: Object.fromEntries(Array.from({ length: 55 }, (_, i) => [`matchfeld${i}`, 1])),
        })),
      ),
    ),
  ],
  [
    'JSON with a member twice, 10,000 deep',
    Buffer.from(`${'{"a":'.repeat(10_000)}{"b":1,"b":2}${'}'.repeat(10_000)}`),
  ],
  [
    'JSON with __proto__',
    Buffer.from('{"instance": {"__proto__": {"skill_id": "x"}, "constructor": 1}}'),
  ],
  ['UTF-16', Buffer.from('skills: []', 'utf16le')],
];

/**
 * Bodies that are made to cost a check time or memory: what each is, its bytes, its content type.
 */
export const hostileBodies: readonly (readonly [string, Buffer, string])[] = [
  ...Object.entries(texts).map(
    ([title, text]) => [title, Buffer.from(text).subarray(0, 262_144), yaml] as const,
  ),
  ...jsonBodies.map(([title, bytes]) => [title, bytes, ''] as const),
];
