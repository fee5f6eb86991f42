import Box from '@cloudscape-design/components/box';
import { useValue } from './cell.ts';
import { connections } from './places.ts';

/** The app of a connection; undefined while it is not known. */
export const useAppName = (id: string): string | undefined =>
  useValue(connections).find(one => one.connection_id === id)?.app_name;

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
