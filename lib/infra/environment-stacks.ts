import type { App } from 'aws-cdk-lib';
import type { EnvironmentName } from '../contract/environments.ts';
import { BusStack } from './bus-stack.ts';
import { PortalStack } from './portal-stack.ts';
import { environmentNames, settingsOf } from './settings.ts';
import { StatefulStack } from './stateful-stack.ts';

/** Adds the stacks of every environment, or of some, to an app. */
export const addEnvironments = (app: App, names: readonly EnvironmentName[] = environmentNames): void => {
  for (const environment of names) {
    const settings = settingsOf(app.node, environment);
    const state = new StatefulStack(app, settings);
    const bus = new BusStack(app, settings, state);
    // The tables, and the setting for access logs, are known by no reference: only this says that they come first.
    bus.addStackDependency(state);
    new PortalStack(app, settings, { state, bus }).addStackDependency(bus);
  }
};
