import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { type Deployment, deploymentOf } from '../../../scripts/permissions/deployment.ts';

/** One resource of a template. */
export interface Resource {
  readonly id: string;
  readonly Type: string;
  readonly Properties: ReturnType<Template['findResources']>[string];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
  readonly UpdatePolicy?: ReturnType<Template['findResources']>[string];
}

export interface SynthesisedStack {
  readonly name: string;
  readonly resources: readonly Resource[];
  readonly terminationProtection: boolean;
  /** What it exports to other stacks, by the name of the export. */
  readonly exports: Readonly<Record<string, unknown>>;
  ofType(type: string): readonly Resource[];
  /** What a reference means, also one to what another stack exports. */
  referred(reference: unknown): unknown;
  /** The resource of a type whose members are as given. */
  one(type: string, where: (properties: Resource['Properties']) => boolean): Resource;
}

/** What of a synthesised stack is kept: plain data. */
type StackFacts = Omit<SynthesisedStack, 'ofType' | 'one' | 'referred'>;

export const stackOf = (facts: StackFacts): SynthesisedStack => {
  const ofType = (type: string) => facts.resources.filter(({ Type }) => Type === type);
  return {
    ...facts,
    ofType,
    referred(reference) {
      const imported = new Map(Object.entries(reference ?? {})).get('Fn::ImportValue');
      return imported === undefined ? reference : facts.exports[imported];
    },
    one(type, where) {
      const [found, ...more] = ofType(type).filter(({ Properties }) => where(Properties));
      if (!found || more.length > 0) {
        throw new Error(`${facts.name} has ${found ? more.length + 1 : 0} such ${type}.`);
      }
      return found;
    },
  };
};

/** A stack that must be there. */
export const stackNamed = (
  stacks: ReadonlyMap<string, SynthesisedStack>,
  name: string,
): SynthesisedStack => {
  const stack = stacks.get(name);
  if (!stack) throw new Error(`There is no stack ${name}.`);
  return stack;
};

/**
 * What runs in an environment: the stacks of the bus, of the portal and of what watches them as
 * one.
 */
export const running = (
  stacks: ReadonlyMap<string, SynthesisedStack>,
  environment = 'sandbox',
): SynthesisedStack => {
  const all = ['bus', 'portal', 'watch'].map(part =>
    stackNamed(stacks, `sombus-${environment}-${part}`),
  );
  return stackOf({
    name: `sombus-${environment}`,
    resources: all.flatMap(({ resources }) => resources),
    terminationProtection: all.every(({ terminationProtection }) => terminationProtection),
    exports: Object.assign({}, ...all.map(({ exports }) => exports)),
  });
};

/** Who may do what in an environment without settings. */
export const defaultDeployment = (environment = 'sandbox'): Deployment => {
  const stacks = [...defaultStacks().values()];
  return deploymentOf(stacks.filter(({ name }) => name.startsWith(`sombus-${environment}-`)));
};

/** Stacks of an app without settings, synthesised here: the CDK takes seconds to load alone. */
const synthesised = (): readonly StackFacts[] => {
  const { infraApp, stacksOf } = require('./synthesise.ts') as typeof import('./synthesise.ts');
  return [...stacksOf(infraApp()).values()];
};

/**
 * Every stack of an app without settings by name. The first suite of a run that asks synthesises
 * them for all.
 */
export const defaultStacks = (): ReadonlyMap<string, SynthesisedStack> => {
  const path = join(process.env['SOMBUS_TEST_RUN'] ?? '', 'stacks.json');
  if (!existsSync(path)) {
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(synthesised()));
    renameSync(`${path}.${process.pid}`, path);
  }
  const facts = JSON.parse(readFileSync(path, 'utf8')) as readonly StackFacts[];
  return new Map(facts.map(one => [one.name, stackOf(one)]));
};
