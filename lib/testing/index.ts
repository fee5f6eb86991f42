// What `som-bus/testing` exports.
export type {
  BusOptions,
  ConsumerOptions,
  Duration,
  Faults,
  Matcher,
  ProducerOptions,
  TestBus,
  TestConnection,
} from './api.ts';
export { startBus } from './start-bus.ts';
