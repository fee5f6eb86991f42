import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { Violation } from '../message/violation.tsx';
import { addressOf } from '../page/address.ts';
import { type Place, placeOf } from './place.ts';

interface Found {
  readonly rule: string;
  readonly message: string;
  readonly path: string;
}

const textIn = (value: object, name: string): string => {
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : '';
};

/** The violations or tolerated findings of a verdict. */
const findingsOf = (verdict: object, name: 'violations' | 'tolerated'): readonly Found[] => {
  const found: unknown = Reflect.get(verdict, name);
  return (Array.isArray(found) ? found : []).flatMap((one: unknown) =>
    typeof one === 'object' && one !== null
      ? [{ rule: textIn(one, 'rule'), message: textIn(one, 'message'), path: textIn(one, 'path') }]
      : [],
  );
};

interface Looked {
  /** The text that the verdict is about. */
  readonly text: string;
  show(place: Place): void;
}

/** Leads to the place of a finding in the text. */
const Line = ({ path, text, show }: Looked & { readonly path: string }) => {
  const place = placeOf(text, path);
  return place ? (
    <>
      <Button variant="inline-link" onClick={() => show(place)}>
        Line {place.line}
      </Button>{' '}
    </>
  ) : null;
};

const Findings = ({ findings, ...looked }: Looked & { readonly findings: readonly Found[] }) => (
  <ol className="findings">
    {findings.map(({ rule, message, path }) => (
      <Violation key={`${rule} ${path}`} rule={rule} message={message} path={path}>
        <Line path={path} {...looked} />
      </Violation>
    ))}
  </ol>
);

/** What the bus said, or would say. */
const headers = {
  accepted: ['The bus would accept this message.', 'The bus has accepted this message.'],
  duplicate: [
    'The bus has this message already: it would accept it, and send nothing.',
    'The bus had this message already: nothing was sent.',
  ],
  refused: ['The bus would refuse this message.', 'The bus has refused this message.'],
} as const;

/** What the bus responds, and why. */
export const Verdict = ({
  w,
  answer: { status, verdict },
  isPublished,
  ...looked
}: Looked & {
  readonly w: string;
  readonly answer: AnswerOf<'validate.message'>;
  readonly isPublished: boolean;
}) => {
  const isAccepted = Reflect.get(verdict, 'accepted') === true;
  const isDuplicate = Reflect.get(verdict, 'duplicate') === true;
  const m = textIn(verdict, 'message_id');
  const outcome = isDuplicate ? 'duplicate' : isAccepted ? 'accepted' : 'refused';
  const violations = findingsOf(verdict, 'violations');
  const tolerated = findingsOf(verdict, 'tolerated');
  return (
    <div role="status">
      <Alert
        type={isAccepted ? 'success' : 'error'}
        header={headers[outcome][isPublished ? 1 : 0]}
        action={
          isPublished && isAccepted && <Button href={addressOf('message', { w, m })}>Show the message</Button>
        }
      >
        <Box>
          {isPublished
            ? `It responded with status ${status}.`
            : `It would respond with status ${status}. Nothing was recorded or sent.`}
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
