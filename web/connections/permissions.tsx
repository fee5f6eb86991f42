import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useState } from 'react';
import { useDoing } from '../page/doing.tsx';
import type { ConnectionPart } from './connection-page.tsx';
import { TypesField } from './types-field.tsx';
import { linesIn } from './words.ts';

/** What the connection may send or receive, and a form that changes it. */
export const Permissions = ({ connection, change, again }: ConnectionPart) => {
  const isProducer = connection.kind === 'producer';
  const [patterns, systems] = isProducer
    ? [connection.grants, connection.system_ids]
    : [connection.receives, connection.sources];
  const [types, setTypes] = useState<readonly string[]>(patterns);
  const [names, setNames] = useState(systems.join('\n'));
  const doing = useDoing(again);
  const isChanged = types.join(' ') !== patterns.join(' ') || names !== systems.join('\n');
  const body = isProducer
    ? { grants: types, system_ids: linesIn(names) }
    : { receives: types, sources: linesIn(names) };
  const labels = isProducer ? (['May send', 'Sends as'] as const) : (['Receives', 'From'] as const);
  if (!connection.may_change)
    return (
      <KeyValuePairs
        columns={2}
        items={[
          { label: labels[0], value: patterns.join(', ') },
          { label: labels[1], value: systems.join(', ') || 'every system' },
        ]}
      />
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void change(doing, 'connection.permit', body);
      }}
    >
      <SpaceBetween size="m">
        <TypesField label={labels[0]} chosen={types} change={setTypes} />
        <FormField
          label={labels[1]}
          description={`system_ids, one on each line.${isProducer ? '' : ' Without any: of all systems.'}`}
        >
          <Textarea
            rows={2}
            value={names}
            spellcheck={false}
            onChange={({ detail }) => setNames(detail.value)}
          />
        </FormField>
        {doing.trouble}
        <Button
          variant="primary"
          formAction="submit"
          disabled={!isChanged || types.length === 0}
          loading={doing.isBusy}
        >
          Save permissions
        </Button>
      </SpaceBetween>
    </form>
  );
};
