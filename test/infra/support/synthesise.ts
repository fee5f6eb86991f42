import { App } from 'aws-cdk-lib';
import type { EnvironmentName } from '../../../lib/contract/environments.ts';
import { addEnvironments } from '../../../lib/infra/environment-stacks.ts';
import { templateStack } from '../../../scripts/permissions/deployment.ts';
import { type Resource, type SynthesisedStack, stackOf } from './stacks.ts';

/**
 * An app with both environments, or one. Its functions are not bundled, as `bundles.test.ts` does
 * that, nor are its templates compared with CloudFormation's own schemas, as `nag.test.ts` does
 * that: it takes ten seconds.
 */
export const infraApp = (
  context: Readonly<Record<string, unknown>> = {},
  names?: readonly EnvironmentName[],
  builtinCloudFormationValidation = false,
): App => {
  const app = new App({
    builtinCloudFormationValidation,
    context: {
      'aws:cdk:bundling-stacks': [],
      '@aws-cdk/core:enablePartitionLiterals': true,
      '@aws-cdk/aws-iam:minimizePolicies': true,
      '@aws-cdk/core:defaultCrossStackReferences': 'strong',
      ...context,
    },
  });
  addEnvironments(app, names);
  return app;
};

/** Every stack of an app by name. */
export const stacksOf = (app: App): ReadonlyMap<string, SynthesisedStack> =>
  new Map(
    app.synth({ skipValidation: true }).stacks.map(artifact => {
      const { stackName: name, terminationProtection = false } = artifact;
      const { resources, exports } = templateStack(name, artifact.template);
      const facts = {
        name,
        resources: resources as readonly Resource[],
        exports,
        terminationProtection,
      };
      return [name, stackOf(facts)];
    }),
  );
