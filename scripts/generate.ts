// Writes everything that is generated and checked in. A test fails when a file is stale.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rulePages } from './rule-pages/pages.ts';
import { validatorModules } from './validators-source.ts';

for (const [name, text] of validatorModules()) writeFileSync(`lib/generated/${name}`, text);

const pages = rulePages();
mkdirSync('docs/rules', { recursive: true });
for (const name of readdirSync('docs/rules')) if (!pages.has(name)) rmSync(`docs/rules/${name}`);
for (const [name, text] of pages) writeFileSync(`docs/rules/${name}`, text);
