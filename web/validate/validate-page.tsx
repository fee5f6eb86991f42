import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import { includesRole } from '../../lib/contract/portal/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';
import { bytesOf } from '../message/indented.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, Trouble, useCall, Waiting } from '../page/data.tsx';
import { Choice } from '../page/form.tsx';
import { Page } from '../page/layout.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { connectionOptions } from '../page/names.tsx';
import { organisations } from '../page/workspaces.ts';
import { Editor, exampleFor } from './editor.tsx';
import { again, inLines } from './examples.ts';

interface WriteProps {
  readonly w: string;
  readonly producer: ConnectionResponse;
  readonly mayPublish: boolean;
}

/** The editor with a message that was accepted, as a new one. */
const Again = ({ m, ...props }: WriteProps & { readonly m: string }) => {
  const loading = useCall('workspace.content', { names: { w: props.w, m } });
  return (
    <Loaded loading={loading}>
      {({ content, next_sequence_number: number }) => {
        const text = new TextDecoder().decode(bytesOf(content));
        const facts = { id: crypto.randomUUID(), now: new Date().toISOString(), number };
        return <Editor {...props} given={again(text, facts)} />;
      }}
    </Loaded>
  );
};

/**
 * The editor with a message that was refused, its first error marked; empty if its text is not
 * kept.
 */
const Refused = ({ at, m, ...props }: WriteProps & { readonly at: string; readonly m: string }) => {
  const names = { w: props.w, c: props.producer.connection_id };
  const { value, failure, ...call } = useCall('connection.refusedText', {
    names,
    query: { at, message: m },
  });
  if (value) {
    const text = new TextDecoder().decode(bytesOf(value.content));
    return <Editor {...props} given={inLines(text)} isWrong />;
  }
  if (!failure) return <Waiting />;
  const isNotKept = failure.kind === 'refused' && failure.code === 'portal.not_found';

  return (
    <>
      {isNotKept ? (
        <Alert>{failure.message}</Alert>
      ) : (
        <Trouble failure={failure} again={call.again} />
      )}
      <Editor {...props} given="" />
    </>
  );
};

interface ChosenProps {
  readonly w: string;
  readonly producers: readonly ConnectionResponse[];
  /** Whether the one of the URL was looked for in all that there are. */
  readonly isSought?: boolean;
}

const activeProducers = ({ connections }: ResponseOf<'connection.list'>) =>
  connections.filter(({ kind, status }) => kind === 'producer' && status === 'active');

/** The first producers are not all of them: the one of the URL may be behind them. */
const Sought = ({ w, producers, asked }: ChosenProps & { readonly asked: string }) => {
  const loading = useCall('connection.list', { names: { w }, query: { find: asked } });
  return (
    <Loaded loading={loading}>
      {found => <Chosen w={w} producers={[...producers, ...activeProducers(found)]} isSought />}
    </Loaded>
  );
};

/** The editor with what the URL names: a refused message, an accepted one, or an example. */
const Opened = (props: WriteProps) => {
  const { producer } = props;
  const { connection_id: c } = producer;
  const given = useValue(filters);
  const refusedAt = given.get('refused') ?? '';
  const m = given.get('message') ?? '';
  const type = given.get('type') ?? '';
  if (refusedAt !== '') {
    const of = given.get('of') ?? '';
    return <Refused key={`${c} ${refusedAt}`} {...props} at={refusedAt} m={of} />;
  }
  if (m !== '') return <Again key={`${c} ${m}`} {...props} m={m} />;
  return <Editor key={`${c} ${type}`} {...props} given={exampleFor(producer, type) ?? ''} />;
};

const Chosen = ({ w, producers, isSought = false }: ChosenProps) => {
  const given = useValue(filters);
  const own = useValue(organisations) ?? [];
  const isMine = ({ organisation_id: o }: ConnectionResponse): boolean =>
    own.some(one => one.organisation_id === o && includesRole(one.role, 'editor'));
  const asked = given.get('connection') ?? '';
  const named = producers.find(one => one.connection_id === asked);
  const isMissing = asked !== '' && named === undefined;
  if (isMissing && !isSought) return <Sought w={w} producers={producers} asked={asked} />;
  const producer = named ?? producers.find(isMine) ?? producers[0];
  if (!producer)
    return (
      <Box>
        There is no active producer here.{' '}
        <a href={urlOf('makeConnection', { w })}>Create a connection</a> first.
      </Box>
    );
  const field = (
    <div className="narrow">
      <FormField
        label="Producer"
        description="The message is validated and published as this connection."
        errorText={isMissing && `The producer ${asked} is not active. Choose another one.`}
      >
        <Choice
          value={isMissing ? '' : producer.connection_id}
          options={connectionOptions(producers)}
          placeholder="Choose a producer"
          change={connection => setFilters({ connection, refused: '' })}
        />
      </FormField>
    </div>
  );
  // Never as another one than the page's address says.
  if (isMissing) return field;
  return (
    <>
      {field}
      <Opened w={w} producer={producer} mayPublish={isMine(producer)} />
    </>
  );
};

/** The verdict that a publish of a chosen connection would get, and the publish itself. */
export const ValidatePage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const query = { find: 'producer active' };
  const loading = useCall('connection.list', { names: { w }, query });
  return (
    <Page
      title="Validate and publish"
      lead={
        'Validate makes every check of a publish, but records and sends nothing. Publish sends ' +
        'the message to its consumers.'
      }
      loading={loading}
    >
      {found => <Chosen w={w} producers={activeProducers(found)} />}
    </Page>
  );
};
