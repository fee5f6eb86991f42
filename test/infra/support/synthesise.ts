import { App } from 'aws-cdk-lib';
import { addEnvironments } from '../../../lib/infra/stateless-stack.ts';
import { type Resource, type SynthesisedStack, stackOf } from './stacks.ts';

/** An app with both environments; its functions are not bundled, as `bundles.test.ts` does that. */
export const infraApp = (context: Readonly<Record<string, unknown>> = {}): App => {
  const app = new App({
    context: {
      'aws:cdk:bundling-stacks': [],
      '@aws-cdk/core:enablePartitionLiterals': true,
      '@aws-cdk/aws-iam:minimizePolicies': true,
      '@aws-cdk/core:defaultCrossStackReferences': 'strong',
      ...context,
    },
  });
  addEnvironments(app);
  return app;
};

interface Output {
  readonly Value: unknown;
  readonly Export?: { readonly Name: string };
}

/** Every stack of an app by name. CloudFormation's own schemas are checked by `nag.test.ts` only: that takes seconds. */
export const stacksOf = (app: App): ReadonlyMap<string, SynthesisedStack> =>
  new Map(
    app.synth({ skipValidation: true }).stacks.map(artifact => {
      const resources: readonly Resource[] = Object.entries(
        artifact.template.Resources as Record<string, Omit<Resource, 'id'>>,
      ).map(([id, resource]) => ({ id, ...resource }));
      const { stackName: name, terminationProtection = false } = artifact;
      const outputs: readonly Output[] = Object.values(artifact.template.Outputs ?? {});
      const exports = Object.fromEntries(
        outputs.flatMap(({ Export, Value }) => (Export ? [[Export.Name, Value]] : [])),
      );
      return [name, stackOf({ name, resources, terminationProtection, exports })];
    }),
  );
