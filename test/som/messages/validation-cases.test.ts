import { readMessage } from '../../../lib/som/messages/read-message.ts';
import { envelope } from '../../corpus/messages.ts';
import { describeShared, readShared } from '../../shared.ts';

interface ValidationCase {
  readonly id: string;
  readonly file: string;
  readonly select?: string;
  readonly wrap?: string;
  readonly expect: { ok: boolean; family?: string; sources?: string[]; rules?: string[] };
}

const bodyOf = ({ file, select, wrap }: ValidationCase): Buffer => {
  const content = JSON.parse(readShared('som-1.0', 'examples', file).toString('utf8'));
  const subject = select === undefined ? content : content[select];
  return Buffer.from(JSON.stringify(wrap === undefined ? subject : envelope(wrap, subject)));
};

const sortedUnique = (values: readonly string[]): string[] => [...new Set(values)].sort();

describeShared('som-1.0', 'the validation cases of the reference data', () => {
  const { cases } = JSON.parse(readShared('som-1.0', 'validation-cases.json').toString('utf8')) as {
    cases: ValidationCase[];
  };

  test('are 38', () => {
    expect(cases).toHaveLength(38);
  });

  test.each(cases.map(entry => [entry.id, entry] as const))(
    '%s gets the expected verdict',
    (_id, entry) => {
      const read = readMessage(bodyOf(entry));
      const seen = read.ok
        ? { ok: true, family: read.message.family }
        : {
            ok: false,
            sources: sortedUnique(read.violations.map(({ source }) => source)),
            rules: sortedUnique(read.violations.map(({ rule }) => rule)),
          };
      expect(seen).toEqual(entry.expect);
    },
  );
});
