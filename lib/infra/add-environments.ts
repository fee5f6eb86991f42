import type { App } from 'aws-cdk-lib';
import { environmentNames, settingsOf } from './settings.ts';
import { StatefulStack } from './stateful-stack.ts';
import { StatelessStack } from './stateless-stack.ts';

/** Adds the stacks of every environment to an app. */
export const addEnvironments = (app: App): void => {
  for (const environment of environmentNames) {
    const settings = settingsOf(app.node, environment);
    new StatelessStack(app, settings, new StatefulStack(app, settings));
  }
};
