import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json';
import type { EnvironmentName } from '../lib/contract/environments.ts';
import { addEnvironments } from '../lib/infra/environment-stacks.ts';
import {
  type Deployment,
  deploymentOf,
  type TemplateStack,
  templateStack,
} from './permissions/deployment.ts';

const newApp = (outdir: string): App => {
  const app = new App({ outdir, context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] } });
  addEnvironments(app);
  return app;
};

/**
 * The templates of both environments in a folder that goes when it is closed; functions are not
 * bundled.
 */
export const synthesiseTemplates = (): { readonly folder: string; close(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-templates-'));
  newApp(folder).synth();
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) };
};

/** The stacks of an environment. */
export const synthesisedStacks = (environment: EnvironmentName): readonly TemplateStack[] => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-templates-'));
  try {
    const { stacks } = newApp(folder).synth({ skipValidation: true });
    const own = stacks.filter(({ stackName }) => stackName.startsWith(`sombus-${environment}-`));
    return own.map(({ stackName, template }) => templateStack(stackName, template));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Who may do what in an environment, by its templates. */
export const synthesisedDeployment = (environment: EnvironmentName): Deployment =>
  deploymentOf(synthesisedStacks(environment));
