// Writes everything that is generated and checked in. A test fails when a file is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { pages } from './generated-parts.ts';
import { validatorModules } from './validators-source.ts';

for (const [name, text] of validatorModules()) writeFileSync(`lib/generated/${name}`, text);
for (const [page, filled] of Object.entries(pages)) writeFileSync(page, filled(readFileSync(page, 'utf8')));
