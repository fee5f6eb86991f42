import { readFileSync } from 'node:fs';
import { readYaml } from '../lib/platform/json/yaml.ts';

/**
 * The examples in a YAML file of ours; whoever shows them in a page also tests them.
 *
 * @throws Error when it is not YAML
 */
export const yamlFile = (path: string): unknown => {
  const read = readYaml(readFileSync(path, 'utf8'), { maxTokens: Number.POSITIVE_INFINITY });
  if (read.kind === 'error') throw new Error(`${path}: ${read.reason}`);
  return read.value;
};
