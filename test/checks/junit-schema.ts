import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Installed apart (`npm ci --prefix test/support/xmllint`): nothing else needs it. */
const folder = 'test/support/xmllint';

const place = (): string | undefined => {
  try {
    return require.resolve('xmllint-wasm', { paths: [resolve(folder)] });
  } catch {
    return undefined;
  }
};

/** Why XML cannot be checked here; undefined if it can. */
export const xmllintLacks =
  place() === undefined ? `xmllint-wasm is not installed (npm ci --prefix ${folder})` : undefined;

interface Xmllint {
  validateXML(given: {
    readonly xml: readonly { readonly fileName: string; readonly contents: string }[];
    readonly schema: readonly string[];
  }): Promise<{ readonly errors: readonly { readonly message: string }[] }>;
}

/** What is wrong with a JUnit report by its schema. */
export const checkJUnit = async (contents: string): Promise<readonly string[]> => {
  const { validateXML }: Xmllint = require(place() ?? '');
  const schema = readFileSync('test/checks/junit.xsd', 'utf8');
  const { errors } = await validateXML({
    xml: [{ fileName: 'report.xml', contents }],
    schema: [schema],
  });
  return errors.map(({ message }) => message);
};
