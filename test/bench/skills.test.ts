import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { skillRulebook } from '../../lib/skills/catalogue.ts';
import { validateSkills } from '../../lib/skills/read-submission.ts';
import { readYaml } from '../../lib/skills/yaml.ts';
import { hostileYaml, unwantedYaml } from '../skills/hostile.ts';

const validate = validateSkills(skillRulebook);

/** CPU milliseconds of a call, user and system. */
const cpu = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const best = (rounds: number, work: () => unknown): number =>
  Math.min(...Array.from({ length: rounds }, () => cpu(work)));

const corpus = readYaml(readFileSync(join(__dirname, '../corpus/skills/valid.yaml'), 'utf8'));
const models = corpus.kind === 'value' ? (corpus.value as { skills: object[] }).skills : [];
const instances = Array.from({ length: 200 }, (_, index) => ({
  ...models[index % models.length],
  instance_label: `instance-${index}`,
}));

/** What a hostile body may cost at most, in milliseconds of CPU. */
const max = 100;

/** The least of a few rounds; of up to forty more where the first were too slow, as on a machine that others keep busy. */
const min = (work: () => unknown): number => {
  let milliseconds = best(3, work);
  for (let round = 0; round < 40 && milliseconds >= max; round += 1)
    milliseconds = Math.min(milliseconds, cpu(work));
  return milliseconds;
};

describe('time to validate 200 instances, warm, on one core', () => {
  test.each<[string, string, string, number]>([
    ['JSON', JSON.stringify(instances), 'application/json', 20],
    // Almost all of it is the YAML library's parser: the checks themselves are the JSON row.
    ['YAML', stringify({ skills: instances }, { aliasDuplicateObjects: false }), 'application/yaml', 60],
  ])('as %s', (form, body, type, mostMilliseconds) => {
    const bytes = Buffer.from(body);
    const run = () => validate(bytes, type);
    expect(run()).toMatchObject({ kind: 'checked', report: { valid: true } });
    for (let round = 0; round < 20; round++) run();
    const milliseconds = best(20, run);
    process.stderr.write(
      `  200 instances as ${form}, ${bytes.length} bytes: ${milliseconds.toFixed(1)} ms\n`,
    );
    expect(milliseconds).toBeLessThanOrEqual(mostMilliseconds);
  });
});

describe('hostile bodies are refused or get problems within 100 ms of CPU', () => {
  const texts = {
    ...hostileYaml,
    ...Object.fromEntries(Object.entries(unwantedYaml).map(([title, [text]]) => [title, text])),
  };
  const worst: [number, string][] = [];

  test.each(Object.entries(texts))('%s', (title, text) => {
    const bytes = Buffer.from(text).subarray(0, 262_144);
    const result = validate(bytes, 'application/yaml');
    if (result.kind === 'checked') expect(result.report.valid).toBe(false);
    expect(JSON.stringify(result).length).toBeLessThan(1_000_000);
    const milliseconds = min(() => validate(bytes, 'application/yaml'));
    worst.push([milliseconds, title]);
    expect(milliseconds).toBeLessThan(max);
  });

  test.each<[string, Buffer]>([
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
    ['JSON with __proto__', Buffer.from('{"instance": {"__proto__": {"skill_id": "x"}, "constructor": 1}}')],
    ['UTF-16', Buffer.from('skills: []', 'utf16le')],
  ])('%s', (title, bytes) => {
    const result = validate(bytes, '');
    if (result.kind === 'checked') expect(result.report.valid).toBe(false);
    expect(JSON.stringify(result).length).toBeLessThan(5_000_000);
    const milliseconds = min(() => validate(bytes, ''));
    worst.push([milliseconds, title]);
    expect(milliseconds).toBeLessThan(max);
  });

  afterAll(() => {
    const [first] = worst.sort(([a], [b]) => b - a);
    if (first) process.stderr.write(`  worst hostile body: ${first[1]}, ${first[0].toFixed(0)} ms\n`);
  });
});
