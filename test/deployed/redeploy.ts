import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceTemplate, type StackTemplate, stackNames } from './assembly.ts';
import { printed } from './shell.ts';
import { environment, workFolder } from './tools.ts';
import type { Run, World } from './world.ts';

/** How templates are changed before they are deployed again. */
export type Changes = Partial<
  Record<(typeof stackNames)[number], (template: StackTemplate) => void>
>;

/** The properties of a function. */
export const functionIn = (template: StackTemplate, name: string) => {
  const found = Object.values(template.Resources).find(
    ({ Type, Properties = {} }) =>
      Type === 'AWS::Lambda::Function' &&
      Properties['FunctionName'] === `sombus-${environment}-${name}`,
  );
  assert.ok(found?.Properties, `There is no function ${name}.`);
  return found.Properties as Record<string, unknown>;
};

const readTemplate = (folder: string, stack: string): StackTemplate =>
  JSON.parse(readFileSync(join(folder, `${stack}.template.json`), 'utf8'));

/** Deploys the templates with changes, or as they are. */
export const deploy = async ({ shell }: Run, world: World, changes: Changes): Promise<void> => {
  const folder = join(workFolder, 'assemblies/changed');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(workFolder, 'assemblies/plain'), folder, { recursive: true });
  const changed = stackNames.filter(name => changes[name]);
  for (const name of changed) {
    const stack = `sombus-${environment}-${name}`;
    const template = readTemplate(folder, stack);
    changes[name]?.(template);
    replaceTemplate(folder, stack, template);
  }
  const stacks = changed.map(name => `sombus-${environment}-${name}`).join(' ');
  const command = `npx cdk deploy --exclusively --no-rollback ${stacks}`;
  await printed(shell(world.deployer, command, { ASSEMBLY: folder }));
};

/** Gives a function a new version, as a release of new code does. */
export const withNewVersion = (template: StackTemplate, name: string): void => {
  const properties = functionIn(template, name);
  Object.assign(properties, { Description: 'A release' });
  const [functionId] =
    Object.entries(template.Resources).find(([, part]) => part.Properties === properties) ?? [];
  const [versionId] =
    Object.entries(template.Resources).find(
      ([, { Type, Properties = {} }]) =>
        Type === 'AWS::Lambda::Version' &&
        (Properties['FunctionName'] as { Ref?: string } | undefined)?.Ref === functionId,
    ) ?? [];
  assert.ok(versionId, `There is no version of ${name}.`);
  // CloudFormation publishes a version for each name of one.
  const renamed = JSON.stringify(template.Resources).replaceAll(versionId, `${versionId}Next`);
  template.Resources = JSON.parse(renamed);
};
