import { App } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { addEnvironments } from '../../../lib/infra/add-environments.ts';

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

/** One resource of a template. */
export interface Resource {
  readonly id: string;
  readonly Type: string;
  readonly Properties: ReturnType<Template['findResources']>[string];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

export interface SynthesisedStack {
  readonly name: string;
  readonly resources: readonly Resource[];
  readonly terminationProtection: boolean;
  ofType(type: string): readonly Resource[];
  /** The resource of a type whose members are as given. */
  one(type: string, where: (properties: Resource['Properties']) => boolean): Resource;
}

/** Every stack of an app by name. CloudFormation's own schemas are checked by `nag.test.ts` only: that takes seconds. */
export const stacksOf = (app: App): ReadonlyMap<string, SynthesisedStack> =>
  new Map(
    app.synth({ skipValidation: true }).stacks.map(artifact => {
      const resources: readonly Resource[] = Object.entries(
        artifact.template.Resources as Record<string, Omit<Resource, 'id'>>,
      ).map(([id, resource]) => ({ id, ...resource }));
      const ofType = (type: string) => resources.filter(({ Type }) => Type === type);
      const stack: SynthesisedStack = {
        name: artifact.stackName,
        resources,
        terminationProtection: artifact.terminationProtection ?? false,
        ofType,
        one(type, where) {
          const [found, ...more] = ofType(type).filter(({ Properties }) => where(Properties));
          if (!found || more.length > 0) {
            throw new Error(`${artifact.stackName} has ${found ? more.length + 1 : 0} such ${type}.`);
          }
          return found;
        },
      };
      return [artifact.stackName, stack];
    }),
  );

/** A stack that must be there. */
export const stackNamed = (stacks: ReadonlyMap<string, SynthesisedStack>, name: string): SynthesisedStack => {
  const stack = stacks.get(name);
  if (!stack) throw new Error(`There is no stack ${name}.`);
  return stack;
};
