import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { descriptionFiles } from './descriptions/files.ts';
import { pages } from './generated-parts.ts';
import { permissionsPage } from './permissions/page.ts';
import { rulePages } from './rule-pages/pages.ts';
import { withItems } from './stored-items.ts';
import { synthesisedDeployment } from './synthesise-templates.ts';

// Writes the pages and descriptions that people read: generated, and checked in. A test fails when
// one is stale. What only the code reads is made by the build.

const rulePage = rulePages();
mkdirSync('docs/rules', { recursive: true });
for (const name of readdirSync('docs/rules')) if (!rulePage.has(name)) rmSync(`docs/rules/${name}`);
for (const [name, text] of rulePage) writeFileSync(`docs/rules/${name}`, text);

for (const [page, filled] of Object.entries(pages))
  writeFileSync(page, filled(readFileSync(page, 'utf8')));

const deployment = synthesisedDeployment('sandbox');
writeFileSync('docs/permissions.md', permissionsPage(deployment));
const architecturePage = readFileSync('docs/architecture.md', 'utf8');
writeFileSync('docs/architecture.md', withItems(architecturePage, deployment));

for (const [path, text] of descriptionFiles()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
