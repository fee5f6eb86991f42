import { libraryFrom } from '../../lib/skills/library.ts';
import eleventh from '../corpus/skills/eleventh-skill.json';

/** A library version after the current one, with one skill. */
export const nextLibrary = libraryFrom(
  {
    version: '0.3.0',
    status: 'supported',
    som_version: '1.0.0',
    source: 'https://example.com/next',
    source_commit: 'c'.repeat(40),
  },
  [eleventh],
);
