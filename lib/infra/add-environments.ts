import { type App, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { environmentNames, type Settings, settingsOf } from './settings.ts';
import { StatelessStack } from './stateless-stack.ts';
import { BusTable, SigningKey } from './stored.ts';

/** Where a stack goes: the account and region of the settings, or those of the deployer's credentials. */
export const placeOf = ({ account, region }: Settings) => ({
  env: { ...(account ? { account } : {}), ...(region ? { region } : {}) },
});

/** What must outlive every deployment: the tables and the signing key. It refuses to be deleted. */
export class StatefulStack extends Stack {
  readonly registry: BusTable;
  readonly ledger: BusTable;
  readonly signingKey: SigningKey;

  constructor(scope: Construct, settings: Settings) {
    const { environment } = settings;
    super(scope, `${resourceNames(environment).stack}-stateful`, {
      ...placeOf(settings),
      terminationProtection: true,
      description: `som-bus ${environment}: tables and signing key`,
    });
    this.registry = new BusTable(this, environment, 'registry');
    this.ledger = new BusTable(this, environment, 'ledger');
    this.signingKey = new SigningKey(this, environment);
  }
}

/** Adds the stacks of every environment, or of some, to an app. */
export const addEnvironments = (app: App, names: readonly EnvironmentName[] = environmentNames): void => {
  for (const environment of names) {
    const settings = settingsOf(app.node, environment);
    new StatelessStack(app, settings, new StatefulStack(app, settings));
  }
};
