import type { App } from 'aws-cdk-lib';
import type { EnvironmentName } from '../contract/environments.ts';
import { environmentNames, settingsOf } from './settings.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

/** Adds the stacks of every environment, or of some, to an app. */
export const addEnvironments = (app: App, names: readonly EnvironmentName[] = environmentNames): void => {
  for (const environment of names) {
    const settings = settingsOf(app.node, environment);
    new StatelessStack(app, settings, new StatefulStack(app, settings));
  }
};
