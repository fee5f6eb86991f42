import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import standaloneCode from 'ajv/dist/standalone';
import { parse } from 'yaml';
import type { NamedRole, RoleFile } from '../../lib/checks/roles.ts';
import { type CheckKind, checkKinds } from '../../lib/contract/portal/checks.ts';

/** Leaves out the named parts: they stand where they are used. */
const used = (name: string, value: unknown): unknown => (name === 'parts' ? undefined : value);

const constant = (name: string, type: string, path: string): string => {
  const cases = parse(readFileSync(path, 'utf8'), { merge: true, maxAliasCount: -1 });
  return `\nexport const ${name}: ${type} = ${JSON.stringify(cases, used, 1)};\n`;
};

interface WrittenProof {
  readonly cases?: readonly string[];
  readonly oneOf?: readonly string[];
}

/** `checks/roles.yaml`; its schema says what the members mean. */
export interface WrittenRoles {
  readonly everyone: RoleFile['everyone'];
  readonly roles: Readonly<
    Record<string, { readonly name: string } & Partial<Record<CheckKind, WrittenProof>>>
  >;
  readonly systems: Readonly<Record<string, Pick<NamedRole, 'name' | 'roles'>>>;
}

/** The roles and systems, each with what all its roles have to prove. */
const resolvedRoles = (): RoleFile => {
  const { everyone, roles, systems }: WrittenRoles = parse(
    readFileSync('checks/roles.yaml', 'utf8'),
  );
  const proofsOf = (names: readonly string[]): NamedRole['proofs'] => {
    const proofs = checkKinds.flatMap(kind => {
      const own = names.flatMap(name => roles[name]?.[kind] ?? []);
      const cases = own.flatMap(proof => proof.cases ?? []);
      const oneOf = [...new Set(own.flatMap(proof => proof.oneOf ?? []))];
      return own.length === 0 ? [] : [[kind, { cases, oneOf }] as const];
    });
    return Object.fromEntries(proofs);
  };
  const themselves = Object.entries(roles).map(([id, { name }]) => [id, { name, roles: [id] }]);
  const named: Readonly<Record<string, Pick<NamedRole, 'name' | 'roles'>>> = {
    ...Object.fromEntries(themselves),
    ...systems,
  };
  const resolved = Object.entries(named).map(([id, one]) => [
    id,
    { ...one, proofs: proofsOf(one.roles) },
  ]);
  return { everyone, roles: Object.fromEntries(resolved) };
};

const schemaAt = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** Whether a value has the form of a house's own cases, as a module. */
const ownCasesForm = (): string => {
  const ajv = new Ajv2020({ code: { source: true, esm: true }, strictRequired: false });
  ajv.addSchema(schemaAt('checks/consumer.schema.json'), 'consumer.schema.json');
  ajv.addSchema(schemaAt('checks/own-cases.schema.json'), 'own-cases.schema.json');
  return standaloneCode(ajv, { ownCasesForm: 'own-cases.schema.json' });
};

const ownCasesDeclared = `export const ownCasesForm: {
  (value: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
};
`;

/** The cases of test runs, and the style of their reports, by file name in lib/generated. */
export const files = (): ReadonlyMap<string, string> => {
  const cases = [
    "import type { ConsumerFile } from '../checks/consumer-plan.ts';\n",
    "import type { ExecutorFile, ProducerFile } from '../checks/plans.ts';\n",
    "import type { RoleFile } from '../checks/roles.ts';\n",
    constant('consumerFile', 'ConsumerFile', 'checks/consumer.yaml'),
    constant('executorFile', 'ExecutorFile', 'checks/executor.yaml'),
    constant('producerFile', 'ProducerFile', 'checks/producer.yaml'),
    `\nexport const roleFile: RoleFile = ${JSON.stringify(resolvedRoles(), undefined, 1)};\n`,
  ];
  const style = `export const reportStyle = ${JSON.stringify(readFileSync('checks/report.css', 'utf8'))};\n`;
  return new Map([
    ['check-cases.generated.ts', cases.join('')],
    ['own-cases.generated.d.ts', ownCasesDeclared],
    ['own-cases.generated.js', ownCasesForm()],
    ['report-style.generated.ts', style],
  ]);
};
