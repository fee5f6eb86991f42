import { readMessage } from '../../../lib/domain/message/read-message.ts';
import { describeShared, readShared } from '../../shared.ts';

interface ValidationCase {
  readonly id: string;
  readonly file: string;
  readonly select?: string;
  readonly wrap?: string;
  readonly expect: { ok: boolean; family?: string; sources?: string[]; rules?: string[] };
}

const envelopeOf = (messageType: string, payload: unknown) => ({
  som_version: '1.0.0',
  message_id: '6f1c7c1e-58a5-4d0e-9a53-0d7be17b1a10',
  correlation_id: '0e7b7a52-0c45-4f7e-8f0b-3f0a4d8f2a11',
  message_type: messageType,
  timestamp: '2026-02-03T10:00:00Z',
  originating_system: { system_id: 'desk-1', system_type: 'ncs' },
  topic: `som.${messageType}`,
  payload,
});

const bodyOf = ({ file, select, wrap }: ValidationCase): Buffer => {
  const content = JSON.parse(readShared('som-1.0', 'examples', file).toString('utf8'));
  const subject = select === undefined ? content : content[select];
  return Buffer.from(JSON.stringify(wrap === undefined ? subject : envelopeOf(wrap, subject)));
};

const sortedUnique = (values: readonly string[]): string[] => [...new Set(values)].sort();

describeShared('som-1.0', 'the validation cases of the reference data', () => {
  const { cases } = JSON.parse(readShared('som-1.0', 'validation-cases.json').toString('utf8')) as {
    cases: ValidationCase[];
  };

  test('there are 38 of them', () => {
    expect(cases).toHaveLength(38);
  });

  test.each(cases.map(entry => [entry.id, entry] as const))('%s gets the expected verdict', (_id, entry) => {
    const read = readMessage(bodyOf(entry));
    const seen = read.ok
      ? { ok: true, family: read.message.family }
      : {
          ok: false,
          sources: sortedUnique(read.violations.map(({ source }) => source)),
          rules: sortedUnique(read.violations.map(({ rule }) => rule)),
        };
    expect(seen).toEqual(entry.expect);
  });
});
