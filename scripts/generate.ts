// Writes everything that is generated and checked in. A test fails when a file is stale.
import { writeFileSync } from 'node:fs';
import { validatorModules } from './validators-source.ts';

for (const [name, text] of validatorModules()) writeFileSync(`lib/generated/${name}`, text);
