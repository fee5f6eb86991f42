/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { LinesField, linesIn } from '../page/fields.tsx';
import type { ConnectionPart } from './connection-page.tsx';
import { patternsIn, problemWithTypes, TypesField } from './types-field.tsx';

/** What the connection may send or receive, and a form that changes it. */
export const Permissions = ({ connection, change, isBusy }: ConnectionPart) => {
  const isProducer = connection.kind === 'producer';
  const [patterns, systems] = isProducer
    ? [connection.grants, connection.system_ids]
    : [connection.receives, connection.sources];
  const types = useSignal(patterns.join(' '));
  const names = useSignal(systems.join('\n'));
  const isChanged = types.value !== patterns.join(' ') || names.value !== systems.join('\n');
  const isReady = isChanged && patternsIn(types.value).length > 0 && !problemWithTypes(types.value);
  const body = isProducer
    ? { grants: patternsIn(types.value), system_ids: linesIn(names.value) }
    : { receives: patternsIn(types.value), sources: linesIn(names.value) };
  if (!connection.may_change)
    return (
      <>
        <h2>Permissions</h2>
        <p>
          {isProducer ? 'Sends' : 'Receives'} {patterns.join(', ')}
          {isProducer ? ' as ' : ' from '}
          {systems.join(', ') || 'every system'}.
        </p>
      </>
    );
  return (
    <form
      class="instance"
      onSubmit={event => {
        event.preventDefault();
        if (isReady) change('connection.permit', body);
      }}
    >
      <h2>Permissions</h2>
      <TypesField
        label={isProducer ? 'May send' : 'Receives'}
        about="Message types, families such as story.*, or * for everything; with spaces between them."
        text={types.value}
        change={text => (types.value = text)}
      />
      <LinesField
        label={isProducer ? 'Sends as' : 'From'}
        about={`system_ids, one on each line.${isProducer ? '' : ' Without any: of all systems.'}`}
        text={names.value}
        change={text => (names.value = text)}
      />
      <p>
        <button type="submit" disabled={!isReady || isBusy}>
          Change the permissions
        </button>
      </p>
    </form>
  );
};
