import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { environments } from '../../../lib/contract/environments.ts';
import { addEnvironments } from '../../../lib/infra/add-environments.ts';

/** An app with both environments, without the bundles: these have their own test. */
export const infraApp = (context: Readonly<Record<string, unknown>> = {}): App => {
  const app = new App({
    context: { 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:enablePartitionLiterals': true, ...context },
  });
  addEnvironments(app);
  return app;
};

type EnvironmentName = keyof typeof environments;
type Part = 'stateful' | 'stateless';

/** The templates of an app, by environment and part. */
export const templatesOf = (app: App): ((environment: EnvironmentName, part: Part) => Template) => {
  const assembly = app.synth();
  return (environment, part) =>
    Template.fromJSON(assembly.getStackByName(`sombus-${environment}-${part}`).template);
};
