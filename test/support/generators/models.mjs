import { readFileSync } from 'node:fs';
import { TypeScriptFileGenerator } from '@asyncapi/modelina';

// Writes TypeScript models of an AsyncAPI description: models.mjs <description> <folder>

const [description = '', folder = ''] = process.argv.slice(2);
const generator = new TypeScriptFileGenerator({
  modelType: 'interface',
  mapType: 'record',
  rawPropertyNames: true,
});
await generator.generateToFiles(
  readFileSync(description, 'utf8'),
  folder,
  { exportType: 'named' },
  true,
);
