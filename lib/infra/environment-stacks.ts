import { type App, type Stack, Tags } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import {
  type EnvironmentName,
  environmentNames,
  environmentTag,
} from '../contract/environments.ts';
import { BusStack } from './bus-stack.ts';
import { PortalStack } from './portal-stack.ts';
import { type Settings, settingsOf } from './settings.ts';
import { StatefulStack } from './stateful-stack.ts';
import { WatchStack } from './watch-stack.ts';

/**
 * Puts the operator's boundary on every role: whoever may deploy cannot give a role more than it
 * allows.
 */
const bound = (stacks: readonly Stack[], { permissionsBoundary }: Settings): void => {
  if (permissionsBoundary === undefined) return;
  for (const stack of stacks)
    PermissionsBoundary.of(stack).apply(
      ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', permissionsBoundary),
    );
};

/**
 * So that a bill of two environments can be told apart. Budgets cost nothing, and stacks would hand
 * their tags on to whatever is in them.
 */
const tag = (stacks: readonly Stack[], environment: EnvironmentName): void => {
  const excludeResourceTypes = ['aws:cdk:stack', 'AWS::Budgets::Budget'];
  for (const stack of stacks)
    Tags.of(stack).add(environmentTag, environment, { excludeResourceTypes });
};

/** Adds the stacks of every environment, or of some, to an app. */
export const addEnvironments = (
  app: App,
  names: readonly EnvironmentName[] = environmentNames,
): void => {
  for (const environment of names) {
    const settings = settingsOf(app.node, environment);
    const state = new StatefulStack(app, settings);
    const bus = new BusStack(app, settings, state);
    // The tables, and the setting for access logs, are known by no reference: only this says that
    // they come first.
    bus.addStackDependency(state);
    const portal = new PortalStack(app, settings, { state, bus });
    portal.addStackDependency(bus);
    const stacks = [state, bus, portal, new WatchStack(app, settings, { bus, portal })];
    bound(stacks, settings);
    tag(stacks, environment);
  }
};
