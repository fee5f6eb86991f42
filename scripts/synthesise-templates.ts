import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json';
import { addEnvironments } from '../lib/infra/stateless-stack.ts';

/** The templates of both environments in a folder that goes when it is closed; functions are not bundled. */
export const synthesiseTemplates = (): { readonly folder: string; close(): void } => {
  const folder = mkdtempSync(join(tmpdir(), 'sombus-templates-'));
  const app = new App({ outdir: folder, context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] } });
  addEnvironments(app);
  app.synth();
  return { folder, close: () => rmSync(folder, { recursive: true, force: true }) };
};
