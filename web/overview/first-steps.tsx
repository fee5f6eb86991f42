import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';
import { tailCommandLine } from '../../lib/contract/environments.ts';
import type {
  OverviewResponse,
  VolumeResponse,
} from '../../lib/contract/portal/overview-responses.ts';
import { urlOf } from '../page/location.ts';

interface Step {
  readonly isDone: boolean;
  readonly title: string;
  readonly way: ReactNode;
}

/**
 * The way to the first message, each step ticked when the bus has seen it; nothing once a consumer
 * has acknowledged one.
 */
export const FirstSteps = ({
  w,
  found: { totals, consumers },
  volume: { points },
}: {
  readonly w: string;
  readonly found: OverviewResponse;
  readonly volume: VolumeResponse;
}) => {
  const has = (name: 'accepted' | 'pulled' | 'acknowledged') =>
    points.some(point => point[name] > 0);
  const isUsed =
    totals.producers > 0 && totals.consumers > 0 && (totals.waiting > 0 || has('accepted'));
  if (isUsed) return null;
  const consumer = consumers[0]?.connection_id;
  const create = <Button href={urlOf('makeConnection', { w })}>Create connection</Button>;
  const steps: readonly Step[] = [
    { isDone: totals.producers > 0, title: 'Create a producer', way: create },
    { isDone: totals.consumers > 0, title: 'Create a consumer', way: create },
    {
      isDone: has('accepted'),
      title: 'Publish a message',
      way: (
        <Button href={urlOf('validate', { w }, { type: 'story.context' })}>
          Publish an example
        </Button>
      ),
    },
    {
      isDone: has('pulled'),
      title: 'Receive it',
      way: consumer && <code>{tailCommandLine(consumer)}</code>,
    },
    {
      isDone: has('acknowledged'),
      title: 'Acknowledge it',
      way: consumer && <code>{tailCommandLine(consumer)} --ack</code>,
    },
  ];
  return (
    <Container header={<Header variant="h2">Your first message</Header>}>
      <SpaceBetween size="s">
        <Box>
          Run the commands in a shell with the variables that came with each connection's secret.
          The local service knows the secrets of its demo.
        </Box>
        {steps.map(({ isDone, title, way }) => (
          <SpaceBetween key={title} direction="horizontal" size="s" alignItems="center">
            <StatusIndicator type={isDone ? 'success' : 'pending'}>{title}</StatusIndicator>
            {!isDone && <Box>{way}</Box>}
          </SpaceBetween>
        ))}
      </SpaceBetween>
    </Container>
  );
};
