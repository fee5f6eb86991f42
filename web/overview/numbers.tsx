import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import type {
  OverviewResponse,
  VolumeResponse,
} from '../../lib/contract/portal/overview-responses.ts';
import { Facts, type Look, State } from '../page/layout.tsx';

const Figure = ({ value }: { readonly value: number | undefined }) => (
  <div className="figure">
    <Box variant="awsui-value-large" display="block">
      {value === undefined ? '…' : value.toLocaleString('en')}
    </Box>
  </div>
);

const trouble = ({ totals, isSuspended, endings }: NumbersProps): Look => {
  const all = totals.consumers + totals.producers;
  if (isSuspended) return ['error', 'All are refused'];
  if (totals.in_trouble > 0) return ['error', `of ${all}`];
  if (endings > 0) return ['warning', 'A secret ends soon'];
  if (all === 0) return ['stopped', 'No connections yet'];
  return ['success', 'Everything is well'];
};

interface NumbersProps {
  readonly totals: OverviewResponse['totals'];
  readonly volume: VolumeResponse | undefined;
  readonly words: string;
  /** The organisation, and with it all of its connections. */
  readonly isSuspended: boolean;
  /** Secrets that end soon. */
  readonly endings: number;
}

/** Whether everything is well, at a glance. */
export const Numbers = (props: NumbersProps) => {
  const { totals, volume, words } = props;
  const sumOf = (name: 'accepted' | 'refused' | 'limited') =>
    volume?.points.reduce((sum, point) => sum + point[name], 0);
  const limited = sumOf('limited') ?? 0;
  return (
    <Container>
      <Facts
        of={[
          [
            'Connections in trouble',
            <div key="trouble">
              <Figure value={totals.in_trouble} />
              <State of={trouble(props)} />
            </div>,
          ],
          ['Messages waiting', <Figure key="waiting" value={totals.waiting} />],
          [`Accepted, ${words}`, <Figure key="accepted" value={sumOf('accepted')} />],
          [
            `Refused, ${words}`,
            <div key="refused">
              <Figure value={sumOf('refused')} />
              {limited > 0 && (
                <Box color="text-body-secondary">
                  and {limited.toLocaleString('en')} rate limited
                </Box>
              )}
            </div>,
          ],
        ]}
      />
    </Container>
  );
};
