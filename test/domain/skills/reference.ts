import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../../../../shared/som-1.0');

/** The reference data beside the project, which not every checkout has. */
export const referencePresent = existsSync(folder);

export const referenceText = (path: string): string => readFileSync(join(folder, path), 'utf8');

/** `describe` where the reference data is there; elsewhere one passing test whose title says what was left out. */
export const describeWithReference = (title: string, body: () => void): void => {
  if (referencePresent) describe(title, body);
  else test(`NOTICE: ${title}: not compared, because ../shared is not there`, () => {});
};
