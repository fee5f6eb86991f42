import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import cdkJson from '../../cdk.json';
import type { EnvironmentName } from '../../lib/contract/environments.ts';
import { addEnvironments } from '../../lib/infra/environment-stacks.ts';
import { isLeftOut, type TemplatePart } from './left-out.ts';

export const stackNames = ['stateful', 'bus', 'portal', 'watch'] as const;

interface Part extends TemplatePart {
  DependsOn?: string | string[];
  UpdatePolicy?: object;
}

export interface StackTemplate {
  Resources: Record<string, Part>;
  Outputs?: Record<string, unknown>;
}

/** What a reference to something left out says in its place. */
const inPlace = 'left-out';

const referredBy = (value: object): string | undefined => {
  const { Ref, 'Fn::GetAtt': attribute } = value as Record<string, string | readonly string[]>;
  if (typeof Ref === 'string') return Ref;
  if (attribute === undefined) return undefined;
  return typeof attribute === 'string' ? attribute.split('.')[0] : attribute[0];
};

const withoutReferences = (value: unknown, gone: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map(one => withoutReferences(one, gone));
  if (typeof value !== 'object' || value === null) return value;
  const referred = referredBy(value);
  if (referred !== undefined && gone.has(referred)) return inPlace;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutReferences(member, gone)]),
  );
};

const withoutLeftOut = (template: StackTemplate): StackTemplate => {
  const gone = new Set(
    Object.entries(template.Resources)
      .filter(([, part]) => isLeftOut(part))
      .map(([id]) => id),
  );
  const kept: Record<string, Part> = {};
  for (const [id, { DependsOn = [], UpdatePolicy, ...part }] of Object.entries(
    template.Resources,
  )) {
    if (gone.has(id)) continue;
    // CodeDeploy's only use here is to move aliases.
    const updates =
      UpdatePolicy && !('CodeDeployLambdaAliasUpdate' in UpdatePolicy) ? { UpdatePolicy } : {};
    kept[id] = { ...part, ...updates, DependsOn: [DependsOn].flat().filter(one => !gone.has(one)) };
  }
  return withoutReferences({ ...template, Resources: kept }, gone) as StackTemplate;
};

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

interface FileAsset {
  readonly source: { readonly path: string };
  readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
}

/** Writes a changed template, under a new name in the bucket that it is uploaded to. */
export const replaceTemplate = (folder: string, stack: string, template: StackTemplate): void => {
  const file = `${stack}.template.json`;
  const text = JSON.stringify(template);
  writeFileSync(join(folder, file), text);
  const hash = createHash('sha256').update(text).digest('hex');
  const assetsPath = join(folder, `${stack}.assets.json`);
  const { files } = readJson(assetsPath) as { files: Readonly<Record<string, FileAsset>> };
  const own = Object.values(files).find(({ source }) => source.path === file);
  const [destination] = Object.values(own?.destinations ?? {});
  if (!destination) throw new Error(`${assetsPath} does not say where ${file} goes.`);
  const { objectKey } = destination;
  for (const path of [assetsPath, join(folder, 'manifest.json')]) {
    const renamed = readFileSync(path, 'utf8').replaceAll(objectKey, `${hash}.json`);
    writeFileSync(path, renamed);
  }
};

interface Wanted {
  readonly folder: string;
  readonly environment: EnvironmentName;
  /** Members of `cdk.json`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly atOnce?: boolean;
}

/**
 * Synthesises environments for the emulator. In one process and one folder the CDK bundles each
 * function once, whatever the settings are.
 */
export const assembler = (cache: string) => (wanted: Wanted) => {
  const { folder, environment, settings, atOnce = false } = wanted;
  const context = {
    ...cdkJson.context,
    [environment]: { ...cdkJson.context[environment], ...settings },
    ...(atOnce ? { atOnce: 'true' } : {}),
  };
  const app = new App({ outdir: cache, context });
  addEnvironments(app, [environment]);
  app.synth();
  rmSync(folder, { recursive: true, force: true });
  cpSync(cache, folder, { recursive: true });
  for (const name of stackNames) {
    const stack = `sombus-${environment}-${name}`;
    const template = withoutLeftOut(readJson(join(folder, `${stack}.template.json`)));
    replaceTemplate(folder, stack, template);
  }
};
