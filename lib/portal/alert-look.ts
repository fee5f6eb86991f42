import type { Invitations } from '../access/people/invitations.ts';
import { type Affiliation, type Members, personKey } from '../access/people/members.ts';
import type { Directory, Party } from '../access/people/organisations.ts';
import type { Connection, Connections } from '../access/registry/connection.ts';
import type { CheckRuns } from '../checks/run.ts';
import { alertLimits } from '../contract/portal/alerts.ts';
import { includesRole } from '../contract/portal/portal.ts';
import type { Alert } from './alerts/alerts.ts';
import type { EndedRun, Level } from './alerts/due.ts';
import type { AlertLook } from './alerts/watch-alerts.ts';
import { connectionLines, type OverviewPorts } from './overview.ts';
import { appNames } from './standing.ts';

type AlertLookPorts = OverviewPorts & {
  readonly directory: Pick<Directory, 'find'>;
  readonly connections: Pick<Connections, 'ofWorkspace' | 'credentialsOf'>;
  readonly invitations: Pick<Invitations, 'guestOf'>;
  readonly members: Pick<Members, 'affiliationOf'>;
  readonly checkRuns: Pick<CheckRuns, 'listOf'>;
};

const hourMilliseconds = 3_600_000;

/** How long the secrets still work that were replaced, in hours. */
const secretLevels = async (
  ports: AlertLookPorts,
  all: readonly Connection[],
): Promise<readonly Level[]> => {
  const names = await appNames(ports, all);
  const credentials = await ports.connections.credentialsOf(all.map(({ id }) => id));
  const now = ports.clock.now();
  return all.map(({ id, app }) => {
    const until = credentials.get(id)?.previous?.until ?? 0;
    const value = until > now ? (until - now) / hourMilliseconds : Number.POSITIVE_INFINITY;
    return { connection: id, appName: names.get(app) ?? app, value };
  });
};

/** What alerts of a kind compare, of all connections of a workspace. */
const levelsOf = async (
  ports: AlertLookPorts,
  { kind, workspace }: Alert,
  all: readonly Connection[],
): Promise<readonly Level[]> => {
  if (kind === 'secret_ends') return secretLevels(ports, all);
  const looked = all.filter(one => one.kind === (kind === 'refusals' ? 'producer' : 'consumer'));
  const wanted = { connections: looked, appNames: await appNames(ports, looked), find: '' };
  const { consumers, producers } = await connectionLines(ports, workspace, wanted);
  const waits = consumers.map(line => {
    const minutes = line.oldest_seconds === undefined ? undefined : line.oldest_seconds / 60;
    return { ...line, value: line.waiting === 0 ? 0 : minutes };
  });
  const refusals = producers.map(line => ({ ...line, value: line.hour.refused }));
  return [...waits, ...refusals].map(({ connection_id: connection, app_name: appName, value }) => ({
    connection,
    appName,
    value,
  }));
};

const endedRuns = async ({ checkRuns }: AlertLookPorts, w: string) => {
  const { entries } = await checkRuns.listOf([w], { max: alertLimits.runs });
  return entries.flatMap(({ id, endedAt, status, connections: tested }) =>
    endedAt === undefined
      ? []
      : [{ id, endedAt, status, of: tested.map(one => one.connection_id) }],
  );
};

/** Keeps what was read for a key. */
const remembering = <T>(): ((key: string, read: () => Promise<T>) => Promise<T>) => {
  const known = new Map<string, Promise<T>>();
  return (key, read) => {
    const found = known.get(key) ?? read();
    known.set(key, found);
    return found;
  };
};

/**
 * Levels of some connections. Of a suspended one nothing is known: its alert neither begins nor
 * ends.
 */
const knownOf = (
  levels: readonly Level[],
  connections: readonly Connection[],
): readonly Level[] => {
  const byId = new Map(connections.map(one => [one.id, one]));
  return levels
    .filter(({ connection }) => byId.has(connection))
    .map(level =>
      byId.get(level.connection)?.isSuspended ? { ...level, value: undefined } : level,
    );
};

/** Whether the person whom an alert mails is still an owner of its organisation. */
const owners = ({ members }: AlertLookPorts) => {
  const affiliations = remembering<Affiliation>();
  return async ({ to, organisation: o }: Alert): Promise<boolean> => {
    if (!('email' in to)) return true;
    const { person } = to;
    const { roles } = await affiliations(personKey(person), () => members.affiliationOf(person));
    return roles.some(
      ({ organisation, role }) => organisation === o && includesRole(role, 'owner'),
    );
  };
};

/** What alerts are about, read once for all that ask for the same. */
export const alertLook = (ports: AlertLookPorts) =>
  function look(): AlertLook {
    const { directory, connections, invitations } = ports;
    const parties = remembering<Party | undefined>();
    const found = remembering<readonly Connection[]>();
    const levels = remembering<readonly Level[]>();
    const runs = remembering<readonly (EndedRun & { readonly of: readonly string[] })[]>();
    const stillMails = owners(ports);
    const party = (kind: 'workspace' | 'organisation', id: string) =>
      parties(id, () => directory.find(kind, id));

    const standing = async ({ workspace: w, organisation: o, createdAt }: Alert) => {
      const [workspace, organisation] = await Promise.all([
        party('workspace', w),
        party('organisation', o),
      ]);
      if (workspace?.kind !== 'workspace' || workspace.status === 'revoked') return 'gone';
      if (!organisation || organisation.status === 'revoked') return 'gone';

      const host = workspace.organisation;
      const isHouse = host === o;
      if (!isHouse) {
        // The place that the alert was made from has ended; a later one is another.
        const guest = await invitations.guestOf(w, o);
        if (!guest || guest.since > createdAt) return 'gone';
      }

      const isHostActive = (await party('organisation', host))?.status === 'active';
      if (organisation.status !== 'active' || !isHostActive) return 'stopped';
      return isHouse ? 'house' : 'guest';
    };

    return {
      async of(alert) {
        const is = await standing(alert);
        if (is === 'gone' || is === 'stopped') return is;
        if (!(await stillMails(alert))) return 'gone';

        const { workspace: w, organisation, connection, kind } = alert;
        const all = await found(w, async () =>
          (await connections.ofWorkspace(w)).filter(one => one.status !== 'revoked'),
        );
        const own = all.filter(
          one =>
            (is === 'house' || one.organisation === organisation) &&
            one.id === (connection ?? one.id),
        );
        if (kind !== 'test_run_ended') {
          const read = await levels(`${kind} ${w}`, () => levelsOf(ports, alert, all));
          return { levels: knownOf(read, own), runs: [] };
        }

        const isOwn = (id: string) => own.some(one => one.id === id);
        const read = await runs(w, () => endedRuns(ports, w));
        return { levels: [], runs: read.filter(({ of }) => of.some(isOwn)) };
      },
    };
  };
