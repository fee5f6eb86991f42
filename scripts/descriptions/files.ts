import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { architecture } from '../architecture.ts';
import { asyncApi } from './asyncapi.ts';
import { openApi } from './openapi.ts';

const head = '# Written by npm run generate from lib/contract and schemas: change those.\n';

const yaml = (description: object): string =>
  head + stringify(description, { lineWidth: 120, aliasDuplicateObjects: false });

/** Every file of the descriptions and the picture of the whole, by its path. */
export const descriptionFiles = (): ReadonlyMap<string, string> => {
  return new Map([
    ['docs/openapi/bus.yaml', yaml(openApi('bus'))],
    ['docs/openapi/portal.yaml', yaml(openApi('portal'))],
    ['docs/asyncapi/consumer.yaml', yaml(asyncApi())],
    ['docs/architecture.svg', architecture(readFileSync('docs/architecture.txt', 'utf8'))],
  ]);
};
