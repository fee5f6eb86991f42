import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import { Fragment, useMemo } from 'react';
import { matches } from '../../lib/access/registry/patterns.ts';
import { descriptionOf, membersOf } from '../../lib/checks/judging/coverage.ts';
import { families, messageTypes } from '../../lib/contract/message-types.ts';
import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';
import { type Rule, rules, rulesOfType, schemaFailure } from '../../lib/contract/rules.ts';
import { typesOf } from '../connections/words.ts';
import { useValue } from '../page/cell.ts';
import { CodeView } from '../page/code-view.tsx';
import { useCall } from '../page/data.tsx';
import { Page, Section } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { filters, urlOf } from '../page/location.ts';
import { RuleLink } from '../page/names.tsx';
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

/** So many have their names in a line; more are counted. */
const maxNamed = 3;

interface NamesProps {
  readonly w: string;
  readonly type: string;
  readonly of: readonly ConnectionResponse[];
}

const Names = ({ w, type, of }: NamesProps) => {
  if (of.length === 0) return <Box color="text-body-secondary">nobody here</Box>;
  if (of.length > maxNamed)
    return (
      <a href={urlOf('connections', { w }, { find: type })}>
        {of.length} {of[0]?.kind}s
      </a>
    );
  return (
    <>
      {of.map(({ connection_id: c, app_name: name }, at) => (
        <span key={c}>
          {at > 0 && ', '}
          <a className="cut" title={name} href={urlOf('connection', { w, c })}>
            <bdi>{name}</bdi>
          </a>
        </span>
      ))}
    </>
  );
};

/** On a narrow screen, a name has its second line behind the dot. */
const TypeLink = ({ w, type }: { readonly w: string; readonly type: string }) => {
  const [family, ...rest] = type.split('.');
  return (
    <a className="type-name" href={urlOf('types', { w }, { type })}>
      {family}.<wbr />
      {rest.join('.')}
    </a>
  );
};

const All = (props: HereProps) => (
  <List
    isWrapped
    title="SOM 1.0"
    counter=""
    items={messageTypes}
    columns={[
      ['Type', type => <TypeLink w={props.w} type={type} />, { minWidth: 140 }],
      ['What it says', descriptionOf, { minWidth: 160 }],
      ['Sent by', type => <Names w={props.w} type={type} of={here(props, type, 'producer')} />],
      ['Received by', type => <Names w={props.w} type={type} of={here(props, type, 'consumer')} />],
    ]}
  />
);

/** A path may go on in a second line behind a dot. */
const Path = ({ of: path }: { readonly of: string }) => (
  <code>
    {path.split('.').map((name, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a name may come twice in a path
      <Fragment key={at}>
        {at > 0 && (
          <>
            .<wbr />
          </>
        )}
        {name}
      </Fragment>
    ))}
  </code>
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
        one => (
          <>
            <Path of={one.path} />
            <Box color="text-body-secondary" fontSize="body-s">
              {one.required ? `${one.type}, required` : one.type}
            </Box>
          </>
        ),
        { minWidth: 140 },
      ],
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
        { minWidth: 160 },
      ],
    ]}
  />
);

/** What happens to a message that breaks a rule. */
const outcomeOf = ({ status }: Rule): string =>
  status < 300 ? 'accepted, with a remark' : `refused (${status})`;

interface Checked {
  readonly id: string;
  readonly source: Rule['source'];
  readonly words: string;
  readonly outcome: string;
}

const sources: readonly Rule['source'][] = ['schema', 'conformance', 'sequence', 'policy'];

/** All that the bus checks in a message of a type: the schemas, then what no schema can say. */
const checksOf = (type: string): readonly Checked[] => {
  const schemas = ['envelope', families.get(type) ?? ''].map(
    (id): Checked => ({
      id,
      source: 'schema',
      words:
        id === 'envelope'
          ? 'The envelope is not as its schema says.'
          : 'The payload is not as its schema says.',
      outcome: outcomeOf(schemaFailure),
    }),
  );
  const others = rulesOfType(type).map((id): Checked => {
    const { source, meaning: words } = rules[id];
    return { id, source, words, outcome: outcomeOf(rules[id]) };
  });
  return [...schemas, ...others].sort(
    (one, other) => sources.indexOf(one.source) - sources.indexOf(other.source),
  );
};

const Checks = ({ type }: { readonly type: string }) => (
  <List
    isWrapped
    title="What the bus checks"
    description="Each rule has a page that says how to put it right."
    counter=""
    items={checksOf(type)}
    of="id"
    columns={[
      [
        'What breaks it',
        ({ id, words, source }) => (
          <>
            {words}
            <Box color="text-body-secondary" fontSize="body-s">
              <RuleLink rule={id} /> ({source})
            </Box>
          </>
        ),
        { minWidth: 180 },
      ],
      ['Then', ({ outcome }) => outcome, { minWidth: 110 }],
    ]}
  />
);

/** Two columns where there is room for both; here, since the first page's styles are full. */
const beside = {
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(30rem, 100%), 1fr))',
  gap: '20px',
  alignItems: 'start',
};

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
      <div style={beside}>
        <div className="stack">
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
          <Checks type={type} />
        </div>
        <PayloadFields type={type} />
      </div>
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
