import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../lib/platform/json/value.ts';
import { messageExamples } from '../../scripts/descriptions/examples.ts';
import { componentName, familyNames } from '../../scripts/descriptions/som-schemas.ts';
import { describeShared, readShared, sharedPath } from '../shared.ts';
import {
  classPath,
  commands,
  dotnetLacks,
  goLacks,
  javaLacks,
  npmLacks,
  openApiGeneratorLacks,
  openWorkshop,
  pythonLacks,
  type Workshop,
} from '../support/generators.ts';
import { oneService } from '../support/one-service.ts';
import { describeUnless, testUnless } from '../support/where.ts';

// What generators make of the descriptions, tried as their users would: the code is compiled, and a
// client publishes and pulls.

const bus = oneService('--no-limits');
const busDescription = resolve('docs/openapi/bus.yaml');
const consumerDescription = resolve('docs/asyncapi/consumer.yaml');

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop.remove());

/** Runs a client that publishes one message, pulls it and acknowledges it. */
const tryClient = async (program: readonly string[]): Promise<void> => {
  const { base_url, workspace, producer, consumer } = bus.ready;
  const message = {
    message_id: randomUUID(),
    correlation_id: randomUUID(),
    story_id: `story-${randomUUID()}`,
  };
  const given = { origin: new URL(base_url).origin, workspace, producer, consumer, message };
  const output = await workshop.run(program, { GIVEN: JSON.stringify(given) });
  expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual({
    accepted: true,
    family: 'story-context',
    pulled: message.message_id,
    acknowledged: 1,
  });
};

/** A module whose constants are these values, declared as one of these components. */
const moduleOf = (components: readonly string[], values: readonly unknown[]): string =>
  [
    "import type { components } from './schema';",
    `type Declared = components['schemas'][${components.map(name => `'${name}'`).join(' | ')}];`,
    ...values.map(
      (value, index) => `export const value${index}: Declared = ${JSON.stringify(value)};`,
    ),
  ].join('\n');

const changes: readonly (readonly [what: string, change: object, complaint: RegExp])[] = [
  ['lacks a required member', { headline: undefined }, /'headline' is missing/],
  [
    'has a number as a string',
    { sequence_number: '1' },
    /'string' is not assignable to type 'number'/,
  ],
  ['has an unknown value', { story_type: 'PREDICTED' }, /'"PREDICTED"' is not assignable/],
  ['has a forbidden member', { broadcaster_id: 'b' }, /"broadcaster_id"' does not exist/],
];

/** Valid messages and payloads of the reference data, where that is there. */
const publicExamples = (): readonly unknown[] =>
  readdirSync(sharedPath('som-1.0/examples'))
    .filter(folder => folder !== 'negative')
    .flatMap(folder =>
      readdirSync(sharedPath('som-1.0/examples', folder), { recursive: true, encoding: 'utf8' })
        .filter(name => name.endsWith('.json'))
        .map(name => JSON.parse(readShared('som-1.0/examples', folder, name).toString())),
    );

describeUnless(npmLacks(), 'the types of openapi-typescript', () => {
  beforeEach(() => workshop.run([commands.openapiTypescript, busDescription, '-o', 'schema.d.ts']));

  const compiled = (components: readonly string[], values: readonly unknown[]): Promise<string> => {
    writeFileSync(join(workshop.path, 'values.ts'), moduleOf(components, values));
    return workshop.compile('values.ts');
  };

  test('are those of a client that publishes and pulls', async () => {
    workshop.add('openapi-typescript.ts');
    expect(await workshop.compile('openapi-typescript.ts')).toBe('');
    await tryClient([commands.tsx, 'openapi-typescript.ts']);
  });

  test('fit the examples of the description, and no message that is wrong', async () => {
    expect(await compiled(['Message'], Object.values(messageExamples))).toBe('');
    const { payload, ...envelope } = messageExamples['storyContext'] as JsonObject;
    const wrong = changes.map(([, change]) => ({
      ...envelope,
      payload: { ...(payload as JsonObject), ...change },
    }));
    const complaints = (await compiled(['StoryContextMessage'], wrong))
      .split('\n')
      .filter(line => line !== '');
    for (const [index, [what, , complaint]] of changes.entries())
      expect([what, complaints[index]]).toEqual([what, expect.stringMatching(complaint)]);
    expect(complaints).toHaveLength(changes.length);
  });

  describeShared('som-1.0/examples', 'and the public examples of SOM 1.0', () => {
    test('fit', async () => {
      const valid = publicExamples();
      expect(valid.length).toBeGreaterThanOrEqual(18);
      expect(await compiled(['Message', ...familyNames.map(componentName)], valid)).toBe('');
    });
  });
});

testUnless(npmLacks(), 'the client of @hey-api/openapi-ts publishes and pulls', async () => {
  const generate = [
    commands.heyApi,
    '-i',
    busDescription,
    '-o',
    'generated',
    '-c',
    '@hey-api/client-fetch',
  ];
  await workshop.run(generate);
  workshop.add('hey-api.ts');
  expect(await workshop.compile('hey-api.ts')).toBe('');
  await tryClient([commands.tsx, 'hey-api.ts']);
});

const operationsIn = (description: string): readonly string[] =>
  [...readFileSync(description, 'utf8').matchAll(/^ {6}operationId: (.*)$/gm)].map(
    ([, id = '']) => id,
  );

testUnless(
  pythonLacks(),
  'openapi-python-client makes every endpoint, and the client publishes and pulls',
  async () => {
    const output = await workshop.run([
      ...[commands.openapiPythonClient, 'generate', '--path', busDescription],
      ...['--meta', 'none', '--output-path', 'generated', '--fail-on-warning'],
    ]);
    expect(output).not.toMatch(/warning/i);
    const made = readdirSync(join(workshop.path, 'generated/api'), {
      recursive: true,
      encoding: 'utf8',
    })
      .filter(name => name.endsWith('.py') && !name.endsWith('__init__.py'))
      .map(name => name.replace(/^.*\//, '').replace('.py', '').replaceAll('_', '-'));
    expect(made.sort()).toEqual([...operationsIn(busDescription)].sort());
    workshop.add('openapi_python_client.py');
    await tryClient([commands.python, 'openapi_python_client.py']);
  },
);

const openApiGenerator = (...args: readonly string[]) =>
  workshop.run([commands.openApiGenerator, 'generate', '-i', busDescription, '-o', '.', ...args]);

testUnless(
  openApiGeneratorLacks(),
  'the Python client of OpenAPI Generator publishes and pulls',
  async () => {
    expect(await openApiGenerator('-g', 'python')).not.toContain(' ERROR ');
    workshop.add('openapi_generator.py');
    await tryClient([commands.python, 'openapi_generator.py']);
  },
);

describeUnless(
  javaLacks(),
  'the Java client of OpenAPI Generator compiles, publishes and pulls',
  () => {
    test.each([
      ['okhttp', []],
      // Its usual setting sends null for each absent member that may be of any type.
      ['native', ['--library', 'native', '--additional-properties=openApiNullable=false']],
    ] as const)('with %s', async (library, options) => {
      expect(await openApiGenerator('-g', 'java', ...options)).not.toContain(' ERROR ');
      for (const source of ['PublishAndPull.java', `${library}/Session.java`]) workshop.add(source);
      const sources = ['-sourcepath', 'src/main/java:.', 'PublishAndPull.java'];
      await workshop.run(['javac', '-nowarn', '-cp', classPath(), '-d', 'classes', ...sources]);
      await tryClient(['java', '-cp', classPath('classes'), 'PublishAndPull']);
    });
  },
);

testUnless(dotnetLacks(), 'the C# client of OpenAPI Generator publishes and pulls', async () => {
  const properties = '--additional-properties=targetFramework=net8.0,conditionalSerialization=true';
  const options = ['--library', 'httpclient', properties];
  expect(await openApiGenerator('-g', 'csharp', ...options)).not.toContain(' ERROR ');
  for (const source of ['PublishAndPull.cs', 'PublishAndPull.csproj']) workshop.add(source);
  await tryClient(['dotnet', 'run', '--project', 'PublishAndPull.csproj']);
});

testUnless(goLacks(), 'the Go client of oapi-codegen publishes and pulls', async () => {
  const options = ['-generate', 'types,client', '-package', 'main', '-o', 'bus.go'];
  await workshop.run([commands.oapiCodegen, ...options, busDescription]);
  workshop.add('publish_and_pull.go');
  await tryClient(['go', 'run', 'bus.go', 'publish_and_pull.go']);
});

testUnless(npmLacks(), 'redocly and spectral find nothing in the descriptions', async () => {
  const descriptions = [busDescription, resolve('docs/openapi/portal.yaml')];
  writeFileSync(join(workshop.path, 'rules.yaml'), 'extends: ["spectral:oas"]');
  const quietly = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const linted = await workshop.run(
    [commands.redocly, 'lint', '--format=json', ...descriptions],
    quietly,
  );
  expect(linted.match(/"(errors|warnings)": \d+/g)).toEqual(
    descriptions.flatMap(() => ['"errors": 0', '"warnings": 0']),
  );
  const rules = ['-r', 'rules.yaml', '--fail-severity', 'hint'];
  await workshop.run([commands.spectral, 'lint', ...rules, ...descriptions]);
});

testUnless(npmLacks(), "the models of AsyncAPI's generator compile", async () => {
  await workshop.run([process.execPath, commands.models, consumerDescription, 'models']);
  const models = readdirSync(join(workshop.path, 'models'));
  expect(models).toEqual(
    expect.arrayContaining(['StoryContextMessage.ts', 'PulledMessages.ts', 'OtherMessage.ts']),
  );
  expect(await workshop.compile(...models.map(name => `models/${name}`))).toBe('');
});
