import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needOf } from './where.ts';

/** Why no certificate can be made here; undefined if one can. */
export const opensslLacks = (): string | undefined =>
  spawnSync('openssl', ['version']).status === 0 ? undefined : needOf(['openssl']);

/** A certificate that nobody else signed, and its key: their files in a folder, and their texts. */
export const selfSigned = (folder: string, subjectAltName: string, days = 2) => {
  const at = (name: string) => join(folder, name);
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'ignore' });
  writeFileSync(at('san'), `subjectAltName=${subjectAltName}\n`);
  openssl(
    'req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=bus -keyout key.pem -out request',
  );
  openssl(`x509 -req -in request -signkey key.pem -extfile san -out cert.pem -days ${days}`);
  const [certFile, keyFile] = [at('cert.pem'), at('key.pem')];
  return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) };
};
