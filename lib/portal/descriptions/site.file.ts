import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Site {
  readonly scripts: readonly string[];
  readonly files: Readonly<Record<string, SiteFile>>;
}

export interface SiteFile {
  readonly type: string;
  readonly tag: string;
  /** Brotli, in base64. */
  readonly content: string;
}

let read: Site | undefined;

/**
 * Reads the site when it is first asked for: it is no part of a bundle, whose start it would slow
 * down, but a file beside it.
 */
export const site = (): Site => {
  const name = 'docs-site.generated.json';
  const beside = join(__dirname, name);
  read ??= JSON.parse(
    readFileSync(existsSync(beside) ? beside : join(__dirname, '../../generated', name), 'utf8'),
  ) as Site; // the generator's own form
  return read;
};
