import { limits } from './limits.ts';
import type { Route } from './route.ts';

export const deliveryPorts = ['clock', 'ids', 'log.read', 'log.update', 'queues.send'] as const;
export const publishPorts = [
  ...deliveryPorts,
  'registry.connection',
  'registry.consumers',
  'ledger.read',
  'ledger.commit',
  'recorder.attempts',
  'testRuns.ask',
  'testRuns.faults',
  'testRuns.note',
] as const;
const validatePorts = ['clock', 'registry.connection', 'ledger.read', 'testRuns.ask'] as const;
const settlePorts = [
  'clock',
  'registry.connection',
  'receipts.find',
  'receipts.settle',
  'seals',
  'recorder.receives',
] as const;

const open = { api: 'bus', method: 'GET', auth: 'none', throttle: 'wholeApi' } as const;
const counted = { api: 'bus', auth: 'bearer', throttle: 'wholeApi', quota: true } as const;
const signed = { api: 'bus', method: 'POST', auth: 'sigv4', throttle: 'signed' } as const;

export const busRoutes = {
  health: { ...open, path: '/v1/health', ports: [] },
  token: {
    api: 'bus',
    method: 'POST',
    path: '/v1/oauth/token',
    auth: 'none',
    ports: [
      'clock',
      'ids',
      'credentials.check',
      'tokenRequests.count',
      'signer.keys',
      'signer.sign',
      'recorder.tokens',
      'testRuns.note',
    ],
    throttle: 'token',
    bodyBytes: limits.tokenRequestBytes,
    refusals: 'oauth',
  },
  jwks: { ...open, path: '/v1/oauth/jwks', ports: ['signer.keys'] },
  'oauth-metadata': { ...open, path: '/.well-known/oauth-authorization-server/v1/oauth', ports: [] },
  openapi: { ...open, path: '/v1/openapi.json', ports: [], crossOrigin: true },
  publish: {
    ...counted,
    method: 'POST',
    path: '/v1/tenants/{t}/messages',
    ports: publishPorts,
    bodyBytes: limits.messageBytes,
    issuers: 'workspace',
  },
  validate: {
    ...counted,
    method: 'POST',
    path: '/v1/tenants/{t}/validate',
    ports: validatePorts,
    bodyBytes: limits.messageBytes,
    issuers: 'workspace',
  },
  'iam-publish': {
    ...signed,
    path: '/v1/tenants/{t}/iam/messages',
    ports: [...publishPorts, 'registry.roles'],
    bodyBytes: limits.messageBytes,
  },
  'iam-validate': {
    ...signed,
    path: '/v1/tenants/{t}/iam/validate',
    ports: [...validatePorts, 'registry.roles'],
    bodyBytes: limits.messageBytes,
  },
  'verify-principal': {
    ...signed,
    path: '/v1/tenants/{t}/principals/verify',
    ports: ['clock', 'registry.connection', 'registry.roles', 'principals.verify', 'queueReaders.set'],
    bodyBytes: limits.proofBytes,
  },
  pull: {
    ...counted,
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/messages',
    ports: [
      'clock',
      'ids',
      'registry.connection',
      'inbox.receive',
      // Skipped messages.
      'inbox.delete',
      'inbox.release',
      'receipts.save',
      'seals',
      'polls.wait',
      'recorder.receives',
    ],
  },
  ack: {
    ...counted,
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/ack',
    ports: [...settlePorts, 'inbox.delete'],
    bodyBytes: limits.receiptsBytes,
  },
  nack: {
    ...counted,
    method: 'POST',
    path: '/v1/tenants/{t}/consumers/{c}/nack',
    ports: [...settlePorts, 'receipts.save', 'inbox.release'],
    bodyBytes: limits.receiptsBytes,
  },
  message: {
    ...counted,
    method: 'GET',
    path: '/v1/tenants/{t}/messages/{m}',
    ports: ['clock', 'registry.connection', 'history.message', 'history.inFlight', 'acceptances.find'],
  },
  backlog: {
    ...counted,
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/backlog',
    ports: [
      'clock',
      'registry.connection',
      'history.inFlight',
      'log.read',
      'backlog.read',
      'archiveTail.read',
      'depths.read',
    ],
  },
  registrations: {
    ...counted,
    method: 'GET',
    path: '/v1/tenants/{t}/consumers/{c}/skills',
    ports: ['clock', 'registry.connection', 'seals', 'skills.read', 'testRuns.note'],
  },
  'check-start': {
    ...counted,
    method: 'POST',
    path: '/v1/tenants/{t}/checks',
    ports: [
      'clock',
      'ids',
      'busVersion',
      'registry.connection',
      'connections.find',
      'depths.read',
      'skills.read',
      'marks',
      'checkRuns.start',
    ],
    bodyBytes: limits.checkRequestBytes,
    servedBy: 'check-runs',
  },
  'check-list': {
    ...counted,
    method: 'GET',
    path: '/v1/tenants/{t}/checks',
    ports: ['registry.connection', 'seals', 'checkRuns.list'],
    servedBy: 'check-runs',
  },
  'check-report': {
    ...counted,
    method: 'GET',
    path: '/v1/tenants/{t}/checks/{r}',
    ports: ['registry.connection', 'checkRuns.read'],
    servedBy: 'check-runs',
  },
  'check-stop': {
    ...counted,
    method: 'POST',
    path: '/v1/tenants/{t}/checks/{r}/stop',
    ports: ['registry.connection', 'checkRuns.stop'],
    // Nothing in it is read.
    bodyBytes: limits.checkRequestBytes,
    servedBy: 'check-runs',
  },
  'jwt-publish': {
    ...counted,
    method: 'POST',
    path: '/v1/jwt/messages',
    ports: publishPorts,
    bodyBytes: limits.messageBytes,
    issuers: 'operator',
  },
  'operator-publish': {
    api: 'bus',
    method: 'POST',
    path: '/v1/messages',
    auth: 'sigv4',
    ports: [...publishPorts, 'registry.roles'],
    throttle: 'wholeApi',
    bodyBytes: limits.messageBytes,
  },
} as const satisfies Record<string, Route & { api: 'bus' }>;
