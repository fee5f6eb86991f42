import { createHash } from 'node:crypto';
import { skillLibrary } from '../../lib/skills/describe-library.ts';
import { libraryFrom } from '../../lib/skills/library.ts';
import { carried } from '../../skills/carried.ts';

const read = skillLibrary(carried);
const etagOf = (library: ReturnType<typeof read>): string => (library.kind === 'library' ? library.etag : '');

describe('reading the skill library', () => {
  test('gives the current version when none is named', () => {
    expect(read()).toMatchObject({ kind: 'library', description: { library: { version: '0.2.2' } } });
    expect(read('0.2.2')).toEqual(read());
  });

  test.each(['0.2.1', '', 'latest', '0.2.2 ', '__proto__'])('declines version "%s"', version => {
    expect(read(version)).toEqual({
      kind: 'refused',
      code: 'skills.version_unknown',
      message: `Library version ${JSON.stringify(version)} is not carried; the bus carries "0.2.2".`,
    });
  });

  test('tags the exact bytes of the response', () => {
    const library = read();
    const text = library.kind === 'library' ? JSON.stringify(library.description) : '';
    expect(etagOf(library)).toBe(`"${createHash('sha256').update(text).digest('base64url')}"`);
  });

  test('gives the same tag whenever it is made, and another when the library changes', () => {
    const [library] = carried;
    const copy = libraryFrom(library, library.skills);
    expect(etagOf(skillLibrary([copy])())).toBe(etagOf(read()));
    expect(etagOf(skillLibrary([{ ...copy, status: 'supported' }])())).not.toBe(etagOf(read()));
  });
});
