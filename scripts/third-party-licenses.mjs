// The licences of what a bundle includes of other packages: who hands on the bundle hands them on.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const inPackages = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

const licenseFiles = folder =>
  readdirSync(folder).filter(name =>
    /^(licen[cs]e|copying|notice)|^swagger-ui-bundle\.js\.LICENSE\.txt$/i.test(name),
  );

const textOf = folder => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = licenseFiles(folder).map(file => readFileSync(join(folder, file), 'utf8').trim());
  const text = texts.length > 0 ? texts.join('\n\n') : `License: ${license}`;
  return { title: `${name}@${version} (${license})`, text };
};

/** @param metafile esbuild's */
export const thirdPartyLicenses = ({ outputs }) => {
  const inputs = Object.values(outputs).flatMap(output => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const folders = new Set(used.flatMap(path => inPackages.exec(path)?.[1] ?? []));
  const packages = [...folders]
    .filter(folder => existsSync(join(folder, 'package.json')))
    .map(textOf);
  const texts = new Map();
  for (const { title, text } of packages) texts.set(text, [...(texts.get(text) ?? []), title]);
  return [...texts]
    .map(([text, titles]) => `${titles.sort().join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(72)}\n\n`);
};
