import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import type { ConnectionResponse } from '../../lib/contract/work-responses.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Page } from '../page/layout.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { Editor } from './editor.tsx';

const optionOf = ({ connection_id, app_name }: ConnectionResponse) => ({
  value: connection_id,
  label: app_name,
  description: connection_id,
});

const Chosen = ({
  w,
  producers,
}: {
  readonly w: string;
  readonly producers: readonly ConnectionResponse[];
}) => {
  const wanted = useValue(filters).get('connection') ?? '';
  const chosen = producers.find(one => one.connection_id === wanted) ?? producers[0];
  if (!chosen)
    return (
      <Box>
        There is no active producer here. <a href={urlOf('makeConnection', { w })}>Create a connection</a>{' '}
        first.
      </Box>
    );
  return (
    <>
      <div className="narrow">
        <FormField
          label="Producer"
          description="The message is checked as one that this connection publishes."
        >
          <Select
            selectedOption={optionOf(chosen)}
            options={producers.map(optionOf)}
            filteringType={producers.length > 8 ? 'auto' : 'none'}
            onChange={({ detail }) => setFilters({ connection: detail.selectedOption.value ?? '' })}
          />
        </FormField>
      </div>
      <Editor key={chosen.connection_id} w={w} producer={chosen} />
    </>
  );
};

/** The verdict that a publish of a chosen connection would get. */
export const ValidatePage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const loading = useCall('connection.list', { names: { w } });
  return (
    <Page title="Validate" lead="Every check of a publish, in the same order. Nothing is recorded or sent.">
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
