import { readFileSync } from 'node:fs';
import { type AwsCall, decide, type Statement } from '../../../lib/local/engines/iam.ts';
import { place } from '../../../scripts/permissions/deployment.ts';
import { yamlFile } from '../../../scripts/yaml-file.ts';

const { account } = place;

/** An action, and the ARN of what it is done to. */
export type Asked = readonly [action: string, resource: string];

/** The cases of a file in `test/infra/cases`, with the place of the tests. */
export const casesOf = <Cases>(name: string): Cases => {
  const text = JSON.stringify(yamlFile(`test/infra/cases/${name}.yaml`));
  return JSON.parse(
    text.replaceAll('REGION', place.region).replaceAll('ACCOUNT', account),
  ) as Cases;
};

/** The policies that a bootstrap attaches to the role of deployments, by the runbook. */
export const deployersPolicies = ['data', 'roles', 'services', 'watching'] as const;

export const policyText = (name: string): string =>
  readFileSync(`docs/deploy/${name}.json`, 'utf8');

/** Whether policies of `docs/deploy` let somebody do something. */
export const allows = (...names: readonly string[]) => {
  const identity = names.flatMap(
    name => JSON.parse(policyText(name)).Statement as readonly Statement[],
  );
  const caller = { role: `arn:aws:iam::${account}:role/somebody`, account };
  // A key's own policy leaves the decision to the account.
  const resource = [
    { Effect: 'Allow', Principal: { AWS: account }, Action: 'kms:*', Resource: '*' },
  ] as const;
  return (action: string, on: string, context: AwsCall['context'] = {}): boolean =>
    decide(
      { caller, action, resource: on, context },
      { identity, ...(action.startsWith('kms:') ? { resource } : {}) },
    ) === 'allowed';
};
