import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { Section, State } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { ConnectionName } from '../page/names.tsx';
import { When } from '../page/time.tsx';
import { told } from '../story/told.ts';
import { Violation } from './violation.tsx';

type MessageLife = ResponseOf<'workspace.message'>;

interface LifeProps {
  readonly w: string;
  readonly life: MessageLife;
}

/** What a message says: of a refused one, only its type is known. */
export const titleOfMessage = (life: MessageLife): string => {
  const { verdict, facts = {}, message_type: type } = life;
  if (verdict === 'accepted') return told({ message_type: type ?? '', facts }).title;
  return type === undefined ? 'A refused message' : `Refused ${type}`;
};

/** What a message is, in a line. */
export const MessageFacts = ({ w, life }: LifeProps) => {
  const { message_id: id, correlation_id: correlation, size_bytes: size } = life;
  const { accepted_at: at = life.refusals.at(-1)?.refused_at } = life;
  const { producer_id: by, system_id: system } = life;
  return (
    <div className="line">
      <State of={life.verdict === 'accepted' ? ['success', 'Accepted'] : ['error', 'Refused']} />
      {at !== undefined && <When at={at} isExact />}
      {life.message_type !== undefined && <code>{life.message_type}</code>}
      {system !== undefined && <span>from {system}</span>}
      {by !== undefined && (
        <span>
          by{' '}
          <a href={urlOf('connection', { w, c: by })}>
            <ConnectionName id={by} isShort />
          </a>
        </span>
      )}
      {correlation !== undefined && <a href={urlOf('story', { w }, { correlation })}>Story</a>}
      {size !== undefined && <span>{size.toLocaleString('en')} bytes</span>}
      {life.repeated_at.length > 0 && (
        <span>sent {life.repeated_at.length} more times: the bus accepted it once</span>
      )}
      <CopyToClipboard
        variant="inline"
        textToCopy={id}
        copyButtonAriaLabel={`Copy ${id}`}
        copySuccessText="Copied"
        copyErrorText="Could not copy"
      />
    </div>
  );
};

type Refusal = MessageLife['refusals'][number];

const RefusalSection = ({ w, life, refusal }: LifeProps & { readonly refusal: Refusal }) => {
  const { refused_at: at, connection_id: id, violations } = refusal;
  const isAccepted = life.verdict === 'accepted';
  const correcting = { connection: id, refused: at, of: life.message_id };
  return (
    <Section
      title={isAccepted ? 'Refused later with the same id' : 'Why it was refused'}
      description={
        <>
          <When at={at} isExact />, sent by <ConnectionName id={id} isShort />.
        </>
      }
      actions={
        <Button
          variant={isAccepted ? 'normal' : 'primary'}
          href={urlOf('validate', { w }, correcting)}
        >
          Correct it
        </Button>
      }
    >
      <ol className="findings">
        {violations.map(one => (
          <Violation
            key={`${one.rule} ${one.path}`}
            {...one}
            sent={{ message_type: life.message_type }}
          />
        ))}
      </ol>
    </Section>
  );
};

/** Why the message was refused, each time; under the id of an accepted one, another text was. */
export const Refusals = ({ w, life }: LifeProps) =>
  life.refusals.map(refusal => (
    <RefusalSection
      key={refusal.refused_at + refusal.connection_id}
      w={w}
      life={life}
      refusal={refusal}
    />
  ));

/** Under a title that was cut, all of it. */
export const WholeTitle = ({ text, shown }: { readonly text: string; readonly shown: string }) => {
  if (text === shown) return null;
  return (
    <Box color="text-body-secondary" fontSize="body-s">
      <div className="whole" title={text}>
        {text}
      </div>
    </Box>
  );
};
