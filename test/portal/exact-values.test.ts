import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sombus } from '../support/commands.ts';
import { bearer } from '../support/http-client.ts';
import { portalHere } from './portal-people.ts';

const portal = portalHere();
const { bus, editor, viewer } = portal;

const numbers = ['12345678901234567890123', '0.10000000000000000001', '-1.50', '2e-7'];

const skill = 'smart-stories/raise-flag-on-match';

/** Instances of one skill, each with a number that JavaScript would write in another way. */
const instances = (prefix: string): string => {
  const fields =
    '"match_field": "premise.actual_outcome", "flag_name": "odd", "clearing_authority": "desk"';
  const all = numbers.map((number, at) => {
    const values = `{"match_value": ${number}, ${fields}}`;
    const label = `"instance_label": "${prefix} ${at}", "authority_scale": ["chief", "desk"]`;
    return `{"skill_id": "${skill}", ${label}, "values": ${values}}`;
  });
  return `[${all.join(', ')}]`;
};

const asYaml = (prefix: string): string =>
  `skills: # as a person keeps it\n  ${instances(prefix)}\n`;

const found = (text: string): readonly string[] =>
  [...text.matchAll(/"?match_value"?: ?([^,}\s]+)/g)].map(([, number = '']) => number).sort();

const wanted = (times: number): readonly string[] =>
  Array.from({ length: times }, () => numbers)
    .flat()
    .sort();

const cli = async (...args: readonly string[]) => {
  const of = ['--connection', bus.ready.consumer.client_id, '--data', bus.data, '--json'];
  return sombus('skill', ...args, ...of);
};

test('numbers of skill values keep every digit, from JSON and YAML, by the portal and the CLI', async () => {
  const subject = { c: bus.ready.consumer.client_id };
  for (const file of [instances('page JSON'), asYaml('page YAML')])
    expect((await editor('skill.register', { subject, body: { file } })).body.problems).toEqual([]);
  for (const [name, text] of Object.entries({ json: instances('JSON'), yaml: asYaml('YAML') })) {
    const path = join(bus.data, `house.${name}`);
    writeFileSync(path, text);
    const registered = await cli('register', '--file', path);
    expect(registered.stderr).toBe('');
    expect(found(registered.stdout)).toEqual(wanted(1));
  }
  const authorization = await bearer(bus.base, bus.ready.consumer);
  const url = `${bus.tenant}/consumers/${subject.c}/skills`;
  const text = await (await fetch(url, { headers: { authorization } })).text();
  expect(found(text)).toEqual(wanted(4));
  expect(found((await cli('list')).stdout)).toEqual(wanted(4));
  expect(found((await viewer('skill.file', { subject })).body.yaml)).toEqual(wanted(4));
  const { registrations } = (await viewer('skill.list', { subject })).body;
  const shown = await Promise.all(
    registrations.map(async ({ registration_id: r }: { registration_id: string }) => {
      const { body } = await viewer('skill.show', { subject: { ...subject, r } });
      return body.exact_values ?? JSON.stringify(body.values);
    }),
  );
  expect(found(shown.join('\n'))).toEqual(wanted(4));
});

test('the bound of an instance counts the digits', async () => {
  const subject = { c: bus.ready.consumer.client_id };
  const file = instances('long').replace('-1.50', `0.${'1'.repeat(9000)}`);
  const { status, body } = await editor('skill.register', { subject, body: { file } });
  expect(status).toBe(409);
  expect(body.message).toBe('The instance "long 2" is too large to be stored.');
});
