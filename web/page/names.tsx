import Box from '@cloudscape-design/components/box';
import { useEffect } from 'react';
import type { ConsumerLifeResponse } from '../../lib/contract/portal/portal-responses.ts';
import { rulePage } from '../../lib/contract/rules.ts';
import { useValue } from './cell.ts';
import type { Option } from './form.tsx';
import type { Look } from './layout.tsx';
import { urlBelow } from './location.ts';
import { connections, learnConnection } from './workspaces.ts';

/** The app of a connection; undefined while it is not known. */
export const useAppName = (id: string): string | undefined => {
  const known = useValue(connections);
  const found = known.find(one => one.connection_id === id);
  useEffect(() => {
    if (!found && known.length > 0) learnConnection(id);
  }, [id, found, known]);
  return found?.app_name;
};

/**
 * A connection as people call it: by its app. Programs know it by its id, which stands beside it.
 */
export const ConnectionName = ({
  id,
  isShort = false,
}: {
  readonly id: string;
  readonly isShort?: boolean;
}) => {
  const app = useAppName(id);
  if (app === undefined) return <code>{id}</code>;
  return (
    <span title={id}>
      {app}
      {!isShort && (
        <>
          {' '}
          <Box variant="code" color="text-body-secondary" display="inline">
            {id}
          </Box>
        </>
      )}
    </span>
  );
};

/** Connections to choose from. */
export const connectionOptions = (
  known: readonly { readonly connection_id: string; readonly app_name: string }[],
): readonly Option[] =>
  known.map(one => ({
    value: one.connection_id,
    label: one.app_name,
    description: one.connection_id,
  }));

/** A rule's id, which leads to its page in this bus's documentation. */
export const RuleLink = ({ rule }: { readonly rule: string }) => {
  const page = rulePage(rule);
  if (page === undefined) return <code>{rule}</code>;
  return (
    <a href={urlBelow(`/docs/rules/${page}`)}>
      <code>{rule}</code>
    </a>
  );
};

/** How the state of a message at a consumer is shown. */
export const consumerStates: Readonly<Record<ConsumerLifeResponse['state'], Look>> = {
  waiting: ['pending', 'Not in its queue yet'],
  queued: ['pending', 'In its queue'],
  received: ['in-progress', 'Received, not acknowledged'],
  returned: ['pending', 'Returned: will be delivered again'],
  acknowledged: ['success', 'Acknowledged'],
  expired: ['error', 'Expired: not acknowledged in time'],
  skipped: ['error', 'Skipped, or its queue was deleted'],
  lost: ['error', 'Lost: the connection was revoked first'],
};
