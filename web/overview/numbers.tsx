import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { OverviewResponse, VolumePoint, VolumeResponse } from '../../lib/contract/overview-responses.ts';

const Figure = ({ value }: { readonly value: number | undefined }) => (
  <Box variant="awsui-value-large">{value === undefined ? '…' : value.toLocaleString('en')}</Box>
);

const sumOf = (
  volume: VolumeResponse | undefined,
  name: 'accepted' | 'refused' | 'limited' | 'delivered' | 'acknowledged',
): number | undefined => volume?.points.reduce((sum, point: VolumePoint) => sum + point[name], 0);

/** Whether everything is well, at a glance. */
export const Numbers = ({
  totals,
  volume,
  words,
}: {
  readonly totals: OverviewResponse['totals'];
  readonly volume: VolumeResponse | undefined;
  readonly words: string;
}) => (
  <Container>
    <KeyValuePairs
      columns={4}
      items={[
        {
          label: 'Connections in trouble',
          value: (
            <>
              <Figure value={totals.in_trouble} />
              <div>
                <StatusIndicator type={totals.in_trouble === 0 ? 'success' : 'error'}>
                  {totals.in_trouble === 0
                    ? 'Everything is well'
                    : `of ${totals.consumers + totals.producers}`}
                </StatusIndicator>
              </div>
            </>
          ),
        },
        { label: 'Messages waiting', value: <Figure value={totals.waiting} /> },
        { label: `Accepted, ${words}`, value: <Figure value={sumOf(volume, 'accepted')} /> },
        {
          label: `Refused, ${words}`,
          value: (
            <>
              <Figure value={sumOf(volume, 'refused')} />
              {(sumOf(volume, 'limited') ?? 0) > 0 && (
                <Box color="text-body-secondary">
                  and {sumOf(volume, 'limited')?.toLocaleString('en')} rate limited
                </Box>
              )}
            </>
          ),
        },
      ]}
    />
  </Container>
);
