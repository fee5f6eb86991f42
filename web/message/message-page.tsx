import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, type Loading, useCall } from '../page/data.tsx';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { connections } from '../page/workspaces.ts';
import { Life, MessageFacts } from './life.tsx';
import { Neighbours } from './neighbours.tsx';

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
}) =>
  loading.failure?.kind === 'refused' && loading.failure.code === 'portal.not_found' ? (
    <Unknown w={w} m={m} />
  ) : (
    <Loaded loading={loading}>{children}</Loaded>
  );

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

/** What became of one message. */
export const MessagePage = ({ names: { w, m } }: { readonly names: MessageNames }) => {
  const names = { w, m };
  const loading = useCall('workspace.message', { names }, everyMilliseconds);
  return (
    <Page
      title={loading.value?.message_type ?? 'Message'}
      actions={loading.value && <PublishAgain w={w} life={loading.value} />}
    >
      <Found names={names} loading={loading}>
        {life => (
          <>
            <Container>
              <MessageFacts w={w} life={life} />
            </Container>
            <Life w={w} life={life} again={loading.again} />
            {life.verdict === 'accepted' && <Neighbours w={w} life={life} />}
          </>
        )}
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
          <MessageFacts w={w} life={life} columns={2} />
          <Life w={w} life={life} again={loading.again} />
        </SpaceBetween>
      )}
    </Found>
  );
};
