import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import { includesRole } from '../../lib/contract/portal.ts';
import type { ConnectionResponse } from '../../lib/contract/work-responses.ts';
import { bytesOf } from '../message/indented.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Page } from '../page/layout.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { organisations } from '../page/workspaces.ts';
import { Editor, exampleFor } from './editor.tsx';
import { again } from './examples.ts';

const optionOf = ({ connection_id, app_name }: ConnectionResponse) => ({
  value: connection_id,
  label: app_name,
  description: connection_id,
});

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

const Chosen = ({
  w,
  producers,
}: {
  readonly w: string;
  readonly producers: readonly ConnectionResponse[];
}) => {
  const [given, own] = [useValue(filters), useValue(organisations)];
  const producer = producers.find(one => one.connection_id === given.get('connection')) ?? producers[0];
  if (!producer)
    return (
      <Box>
        There is no active producer here. <a href={urlOf('makeConnection', { w })}>Create a connection</a>{' '}
        first.
      </Box>
    );
  const { connection_id: c, organisation_id: o } = producer;
  const mayPublish = own?.some(one => one.organisation_id === o && includesRole(one.role, 'editor')) ?? false;
  const props = { w, producer, mayPublish };
  const [m, type] = [given.get('message') ?? '', given.get('type') ?? ''];
  return (
    <>
      <div className="narrow">
        <FormField label="Producer" description="The message is checked and published as this connection’s.">
          <Select
            selectedOption={optionOf(producer)}
            options={producers.map(optionOf)}
            filteringType={producers.length > 8 ? 'auto' : 'none'}
            onChange={({ detail }) => setFilters({ connection: detail.selectedOption.value ?? '' })}
          />
        </FormField>
      </div>
      {m === '' ? (
        <Editor key={`${c} ${type}`} {...props} given={exampleFor(producer, type) ?? ''} />
      ) : (
        <Again key={`${c} ${m}`} {...props} m={m} />
      )}
    </>
  );
};

/** The verdict that a publish of a chosen connection would get, and the publish itself. */
export const ValidatePage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('connection.list', { names: { w } });
  return (
    <Page
      title="Validate and publish"
      lead="Validate makes every check of a publish, and records and sends nothing. Publish sends the message to its consumers."
    >
      <Loaded loading={loading}>
        {({ connections }) => (
          <Chosen
            w={w}
            producers={connections.filter(({ kind, status }) => kind === 'producer' && status === 'active')}
          />
        )}
      </Loaded>
    </Page>
  );
};
