import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import { useMemo } from 'react';
import { matches } from '../../lib/access/registry/patterns.ts';
import { descriptionOf, membersOf } from '../../lib/checks/judging/coverage.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';
import { typesOf } from '../connections/words.ts';
import { useValue } from '../page/cell.ts';
import { CodeView } from '../page/code-view.tsx';
import { useCall } from '../page/data.tsx';
import { Page, Section } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { filters, urlOf } from '../page/location.ts';
import { exampleOf, textOfMessage } from '../validate/examples.ts';

interface HereProps {
  readonly w: string;
  readonly connections: readonly ConnectionResponse[];
}

/** The connections of a kind that may send or receive a type. */
const here = ({ connections }: HereProps, type: string, kind: ConnectionResponse['kind']) =>
  connections.filter(
    one =>
      one.kind === kind &&
      one.status !== 'revoked' &&
      typesOf(one).some(pattern => matches(pattern, type)),
  );

/** Named before the rest is counted. */
const namedFirst = 2;

interface NamesProps {
  readonly w: string;
  readonly type: string;
  readonly of: readonly ConnectionResponse[];
}

const Names = ({ w, type, of }: NamesProps) => {
  if (of.length === 0) return <Box color="text-body-secondary">nobody here</Box>;
  const isFew = of.length <= namedFirst + 1;
  const named = isFew ? of : of.slice(0, namedFirst);
  return (
    <>
      {named.map(({ connection_id: c, app_name: name }, at) => (
        <span key={c}>
          {at > 0 && ', '}
          <a className="cut" title={name} href={urlOf('connection', { w, c })}>
            <bdi>{name}</bdi>
          </a>
        </span>
      ))}
      {!isFew && (
        <>
          {' '}
          <a href={urlOf('connections', { w }, { find: type })}>
            and {of.length - named.length} more
          </a>
        </>
      )}
    </>
  );
};

const All = (props: HereProps) => (
  <List
    isWrapped
    title="SOM 1.0"
    counter=""
    items={messageTypes}
    columns={[
      ['Type', type => <a href={urlOf('types', { w: props.w }, { type })}>{type}</a>],
      ['What it says', descriptionOf, { minWidth: 320 }],
      ['Sent by', type => <Names w={props.w} type={type} of={here(props, type, 'producer')} />],
      ['Received by', type => <Names w={props.w} type={type} of={here(props, type, 'consumer')} />],
    ]}
  />
);

const PayloadFields = ({ type }: { readonly type: string }) => (
  <List
    isWrapped
    title="Fields of the payload"
    counter=""
    items={membersOf(type)}
    columns={[
      [
        'Field',
        ({ path, required }) => (
          <>
            <code>{path}</code> {required && <Badge>required</Badge>}
          </>
        ),
      ],
      ['Type', one => one.type],
      [
        'What it says',
        one => (
          <>
            {one.description}
            {one.values.length > 0 && (
              <Box color="text-body-secondary" fontSize="body-s">
                {one.values.join(', ')}
              </Box>
            )}
          </>
        ),
      ],
    ]}
  />
);

const One = ({ type, ...props }: HereProps & { readonly type: string }) => {
  const { w } = props;
  const senders = here(props, type, 'producer');
  const connection = senders[0]?.connection_id ?? '';
  const example = useMemo(() => exampleOf(type, { now: new Date().toISOString() }), [type]);
  return (
    <>
      <Container>
        <Box>
          Sent by <Names w={w} type={type} of={senders} />. Received by{' '}
          <Names w={w} type={type} of={here(props, type, 'consumer')} />.
        </Box>
      </Container>
      <PayloadFields type={type} />
      {example && (
        <Section
          title="Example"
          actions={
            senders.length > 0 && (
              <Button href={urlOf('validate', { w }, { type, connection })}>
                Publish an example
              </Button>
            )
          }
        >
          <CodeView text={textOfMessage(example)} label={`An example of ${type}`} />
        </Section>
      )}
    </>
  );
};

/** SOM's message types: what they say, and who sends and receives them here. */
export const TypesPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const wanted = useValue(filters).get('type') ?? '';
  const type = messageTypes.find(one => one === wanted);
  const loading = useCall('connection.list', { names: { w } });
  return (
    <Page
      key={type}
      title={type ?? 'Message types'}
      lead={
        type
          ? descriptionOf(type)
          : 'The message types of SOM 1.0, and who sends and receives them here.'
      }
      actions={type && <Button href={urlOf('types', { w })}>All message types</Button>}
      loading={loading}
    >
      {({ connections }) =>
        type ? (
          <One w={w} connections={connections} type={type} />
        ) : (
          <All w={w} connections={connections} />
        )
      }
    </Page>
  );
};
