import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pythonTools } from './python-tools.ts';
import { synthesiseTemplates } from './synthesise-templates.ts';

// Checks the synthesised templates with cfn-lint against the resource schemas that CloudFormation
// publishes.

const tools = pythonTools('cfn-lint==1.58.0');
if (tools) {
  const templates = synthesiseTemplates();
  try {
    const files = readdirSync(templates.folder).filter(name => name.endsWith('.template.json'));
    // W3005: CDK states a dependency that a reference implies as well.
    const flags = ['--ignore-checks', 'W3005', '--'];
    const { status, stdout, stderr } = spawnSync(
      tools.bin('cfn-lint'),
      [...flags, ...files.map(name => join(templates.folder, name))],
      { encoding: 'utf8' },
    );
    process.stdout.write(stdout + stderr);
    console.log(
      `cfn-lint: ${files.length} templates, ${status === 0 ? 'nothing found' : 'findings above'}.`,
    );
    process.exitCode = status ?? 1;
  } finally {
    templates.close();
    tools.close();
  }
}
