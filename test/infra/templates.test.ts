import { recordOf, recordOfMore } from './support/record.ts';
import { watchedSettings } from './support/settings.ts';
import { defaultStacks, type SynthesisedStack } from './support/stacks.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

/*
 * Nothing of what is deployed changes unnoticed. Who means a change looks at what it makes of the
 * record, and takes it with `npx jest -u test/infra/templates.test.ts`.
 */

const ofSandbox = (stacks: ReadonlyMap<string, SynthesisedStack>) =>
  [...stacks.values()].filter(({ name }) => name.startsWith('sombus-sandbox-'));

const byDefault = ofSandbox(defaultStacks());

test.each(byDefault.map(stack => [stack.name, stack] as const))('%s', (_, { resources }) => {
  expect(recordOf(resources)).toMatchSnapshot();
});

/** All that can be set. */
const settings = {
  ...watchedSettings,
  mailFrom: 'portal@example.org',
  logDays: '90',
  backupVault: 'arn:aws:backup:eu-central-1:999988887777:backup-vault:sombus-copies',
  oidcIssuer: 'https://login.example.org',
  oidcClientId: 'portal',
};

test('with every setting', () => {
  const all = ofSandbox(stacksOf(infraApp({ sandbox: settings }, ['sandbox'])));
  const of = (stacks: readonly SynthesisedStack[]) => stacks.flatMap(({ resources }) => resources);
  expect(recordOfMore(of(all), of(byDefault))).toMatchSnapshot();
});
