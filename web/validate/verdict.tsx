import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { jsonIn, textOf } from '../../lib/platform/json/value.ts';
import { Violation } from '../message/violation.tsx';
import type { CodeMark } from '../page/code.ts';
import { urlOf } from '../page/location.ts';
import { rangeOf, type TextRange } from './text-range.ts';

interface Found {
  readonly rule: string;
  readonly message: string;
  readonly path: string;
}

/** The violations or tolerated findings of a verdict. */
const findingsOf = (verdict: object, name: 'violations' | 'tolerated'): readonly Found[] => {
  const found: unknown = Reflect.get(verdict, name);
  return (Array.isArray(found) ? found : []).map((one: unknown) => ({
    rule: textOf(one, 'rule'),
    message: textOf(one, 'message'),
    path: textOf(one, 'path'),
  }));
};

interface Looked {
  /** The text that the verdict is about. */
  readonly text: string;
  show(range: TextRange): void;
}

/** The violations that have a place in the text, marked there. */
export const marksOf = (
  { verdict }: ResponseOf<'validate.message'>,
  text: string,
): readonly CodeMark[] =>
  findingsOf(verdict, 'violations').flatMap(({ rule, message, path }) => {
    const range = rangeOf(text, path);
    return range ? [{ from: range.from, to: range.to, words: `${message} (${rule})` }] : [];
  });

/** Leads to the place of a finding in the text. */
const Line = ({ path, text, show }: Looked & { readonly path: string }) => {
  const range = rangeOf(text, path);
  if (!range) return null;
  return (
    <>
      <Button variant="inline-link" onClick={() => show(range)}>
        Line {range.line}
      </Button>{' '}
    </>
  );
};

const Findings = ({ findings, ...looked }: Looked & { readonly findings: readonly Found[] }) => {
  const sent = jsonIn(looked.text);
  return (
    <ol className="findings">
      {findings.map(({ rule, message, path }) => (
        <Violation key={`${rule} ${path}`} rule={rule} message={message} path={path} sent={sent}>
          <Line path={path} {...looked} />
        </Violation>
      ))}
    </ol>
  );
};

/** What the bus said, or would say. */
const headers = {
  accepted: ['The bus would accept this message.', 'The bus has accepted this message.'],
  duplicate: [
    'The bus has this message already: it would accept it, and send nothing.',
    'The bus had this message already: nothing was sent.',
  ],
  refused: ['The bus would refuse this message.', 'The bus has refused this message.'],
} as const;

const outcomeOf = (verdict: object): keyof typeof headers => {
  if (Reflect.get(verdict, 'duplicate') === true) return 'duplicate';
  return Reflect.get(verdict, 'accepted') === true ? 'accepted' : 'refused';
};

/** What the bus responds, and why. */
export const Verdict = ({
  w,
  response: { status, verdict },
  isPublished,
  ...looked
}: Looked & {
  readonly w: string;
  readonly response: ResponseOf<'validate.message'>;
  readonly isPublished: boolean;
}) => {
  const isAccepted = Reflect.get(verdict, 'accepted') === true;
  const m = textOf(verdict, 'message_id');
  const [expected, done] = headers[outcomeOf(verdict)];
  const violations = findingsOf(verdict, 'violations');
  const tolerated = findingsOf(verdict, 'tolerated');
  return (
    <div role="status">
      <Alert
        type={isAccepted ? 'success' : 'error'}
        header={isPublished ? done : expected}
        action={
          isPublished &&
          isAccepted && <Button href={urlOf('message', { w, m })}>Show the message</Button>
        }
      >
        <Box>
          {isPublished
            ? `The bus responded with status ${status}.`
            : `The bus would respond with status ${status}. Nothing was recorded or sent.`}
        </Box>
        {violations.length > 0 && <Findings findings={violations} {...looked} />}
        {tolerated.length > 0 && (
          <>
            <Box variant="h4">Tolerated</Box>
            <Findings findings={tolerated} {...looked} />
          </>
        )}
      </Alert>
    </div>
  );
};
