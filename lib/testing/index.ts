// What `som-bus/testing` exports.
export type { Duration, Faults } from '../contract/faults.ts';
export type {
  BusOptions,
  ConsumerOptions,
  Matcher,
  ProducerOptions,
  TestBus,
  TestConnection,
} from './api.ts';
export { startBus } from './start-bus.ts';
