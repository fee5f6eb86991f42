import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { type ReactNode, useRef } from 'react';
import { tailCommandLine } from '../../lib/contract/environments.ts';
import type { OverviewResponse } from '../../lib/contract/portal/overview-responses.ts';
import { urlOf } from '../page/location.ts';

interface Step {
  readonly isDone: boolean;
  readonly title: string;
  readonly way?: ReactNode;
}

/** A workspace with more connections has long had its first message. */
const maxOfBeginners = 6;

/** Whether the first message of a workspace may still be on its way. */
const isBeginning = ({ totals, consumers }: OverviewResponse): boolean =>
  totals.producers + totals.consumers <= maxOfBeginners &&
  consumers.every(one => one.day.acknowledged === 0);

/** Steps, each ticked when the bus has seen it. */
export const Steps = ({ of }: { readonly of: readonly Step[] }) =>
  of.map(({ isDone, title, way }) => (
    <SpaceBetween key={title} direction="horizontal" size="s" alignItems="center">
      <StatusIndicator type={isDone ? 'success' : 'pending'}>{title}</StatusIndicator>
      {!isDone && <Box>{way}</Box>}
    </SpaceBetween>
  ));

interface FirstStepsProps {
  readonly w: string;
  readonly found: OverviewResponse;
}

/** The way to the first message; gone once a consumer has acknowledged one, unless it was seen. */
export const FirstSteps = ({ w, found }: FirstStepsProps) => {
  const wasShown = useRef(false);
  const isOpen = isBeginning(found);
  wasShown.current ||= isOpen;
  if (!wasShown.current) return null;
  const { totals, consumers, producers } = found;
  const consumer = consumers[0]?.connection_id;
  const isAccepted = producers.some(one => one.day.accepted > 0);
  const isPulled = consumers.some(one => one.day.pulled > 0);
  const create = <Button href={urlOf('makeConnection', { w })}>Create connection</Button>;
  const publish = (
    <Button href={urlOf('validate', { w }, { type: 'story.context' })}>Publish an example</Button>
  );
  const steps: readonly Step[] = [
    { isDone: totals.producers > 0, title: 'Create a producer', way: create },
    { isDone: totals.consumers > 0, title: 'Create a consumer', way: create },
    { isDone: isAccepted, title: 'Publish a message', way: totals.producers > 0 && publish },
    {
      isDone: isPulled,
      title: 'Receive it',
      way: consumer && <code>{tailCommandLine(consumer)}</code>,
    },
    {
      isDone: !isOpen,
      title: 'Acknowledge it',
      way: consumer && <code>{tailCommandLine(consumer)} --ack</code>,
    },
  ];
  return (
    <Container
      header={
        <Header variant="h2" description="Each step is ticked here as soon as the bus has seen it.">
          Your first message
        </Header>
      }
    >
      <SpaceBetween size="s">
        {isOpen ? (
          <Box>
            Run the commands in a shell with the variables that came with each connection's secret.
            The local service knows the secrets of its demo.
          </Box>
        ) : (
          <Box>Your first message went all the way: published, received and acknowledged.</Box>
        )}
        <Steps of={steps} />
      </SpaceBetween>
    </Container>
  );
};
