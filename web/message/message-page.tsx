import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, type Loading, useCall } from '../page/data.tsx';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { shortened } from '../page/short-text.ts';
import { connections } from '../page/workspaces.ts';
import { Content, RefusedContent } from './content.tsx';
import { DidNotGetIt } from './left-out.tsx';
import { MessageFacts, Refusals, titleOfMessage, WholeTitle } from './life.tsx';
import { Neighbours } from './neighbours.tsx';
import { WhoGotIt } from './who-got-it.tsx';

type MessageLife = ResponseOf<'workspace.message'>;

/** How often the life of a message is looked at while somebody sees it. */
const everyMilliseconds = 5_000;

interface MessageNames {
  readonly w: string;
  readonly m: string;
}

const Unknown = ({ w, m }: MessageNames) => (
  <Box>
    This workspace knows no message <code>{m}</code>: it was never published here, or it is too old.{' '}
    <a href={urlOf('activity', { w })}>See the activity</a>, or, if this is a correlation_id,{' '}
    <a href={urlOf('story', { w }, { correlation: m })}>see its story</a>.
  </Box>
);

/** What became of a message, or that there is none. */
const Found = ({
  names: { w, m },
  loading,
  children,
}: {
  readonly names: MessageNames;
  readonly loading: Loading<MessageLife>;
  readonly children: (life: MessageLife) => React.ReactNode;
}) => {
  const { failure } = loading;
  if (failure?.kind === 'refused' && failure.code === 'portal.not_found')
    return <Unknown w={w} m={m} />;
  return <Loaded loading={loading}>{children}</Loaded>;
};

/** To the editor, with this message as a new one of the same producer's. */
const PublishAgain = ({ w, life }: { readonly w: string; readonly life: MessageLife }) => {
  const { message_id: message, producer_id: connection } = life;
  const isKnown = useValue(connections).some(one => one.connection_id === connection);
  if (connection === undefined || !isKnown) return null;
  return (
    <Button href={urlOf('validate', { w }, { connection, message })}>
      Publish again with a new id
    </Button>
  );
};

interface LifeProps {
  readonly w: string;
  readonly life: MessageLife;
  /** Beside a list: in one column, and without the other messages of the story. */
  readonly isNarrow?: boolean;
  again(): void;
}

const none: readonly never[] = [];

/** Who got it and who did not, beside what it says. */
const Accepted = ({ isNarrow = false, ...props }: LifeProps) => {
  const { w, life } = props;
  const query = { correlation: life.correlation_id ?? '', around: life.message_id };
  const neighbours = useCall('workspace.story', { names: { w }, query }).value?.messages ?? none;
  return (
    <>
      <div className={isNarrow ? 'stack' : 'halves'}>
        <div className="stack">
          <WhoGotIt {...props} />
          <DidNotGetIt {...props} />
          <Refusals {...props} />
        </div>
        <Content w={w} life={life} neighbours={neighbours} />
      </div>
      {!isNarrow && <Neighbours w={w} life={life} neighbours={neighbours} />}
    </>
  );
};

const Refused = ({ isNarrow = false, ...props }: LifeProps) => (
  <div className={isNarrow ? 'stack' : 'halves'}>
    <div className="stack">
      <Refusals {...props} />
    </div>
    <RefusedContent {...props} />
  </div>
);

const Life = (props: LifeProps) =>
  props.life.verdict === 'accepted' ? <Accepted {...props} /> : <Refused {...props} />;

/** So that a title is on two lines at most: all of it stands below. */
const maxTitle = 90;

/** What became of one message. */
export const MessagePage = ({ names: { w, m } }: { readonly names: MessageNames }) => {
  const names = { w, m };
  const loading = useCall('workspace.message', { names }, everyMilliseconds);
  const life = loading.value;
  const text = life === undefined ? 'Message' : titleOfMessage(life);
  const title = shortened(text, maxTitle);
  return (
    <Page
      title={title}
      lead={
        life && (
          <>
            <WholeTitle text={text} shown={title} />
            <MessageFacts w={w} life={life} />
          </>
        )
      }
      actions={life && <PublishAgain w={w} life={life} />}
    >
      <Found names={names} loading={loading}>
        {found => <Life w={w} life={found} again={loading.again} />}
      </Found>
    </Page>
  );
};

/** The same beside a list, without the other messages of the story. */
export const MessagePanel = ({ w, m }: MessageNames) => {
  const loading = useCall('workspace.message', { names: { w, m } }, everyMilliseconds);
  return (
    <Found names={{ w, m }} loading={loading}>
      {life => (
        <SpaceBetween size="l">
          <SpaceBetween direction="horizontal" size="xs">
            <Button href={urlOf('message', { w, m })} iconName="expand">
              Open as a page
            </Button>
            <PublishAgain w={w} life={life} />
          </SpaceBetween>
          <Box variant="h3" padding="n">
            {shortened(titleOfMessage(life), maxTitle)}
          </Box>
          <MessageFacts w={w} life={life} />
          <Life w={w} life={life} again={loading.again} isNarrow />
        </SpaceBetween>
      )}
    </Found>
  );
};
