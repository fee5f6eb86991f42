import Box from '@cloudscape-design/components/box';
import { useEffect } from 'react';
import { useValue } from './cell.ts';
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

/** A connection as people call it: by its app. Programs know it by its id, which stands beside it. */
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
