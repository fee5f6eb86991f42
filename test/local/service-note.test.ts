import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteHolder, removeHolder } from '../../lib/local/folder-lock.ts';
import {
  endpointsBefore,
  notedBaseUrl,
  notedPortalUrl,
  runningService,
} from '../../lib/local/service-note.ts';
import { StartRefusal } from '../../lib/local/start-refusal.ts';
import { temporaryFolder } from '../support/service-process.ts';

const scratch = temporaryFolder();
afterAll(() => scratch.remove());

const endpoints = {
  dynamodb: 'http://127.0.0.1:1',
  sqs: 'http://127.0.0.1:2',
  kms: 'http://127.0.0.1:3',
  cloudwatch: 'http://127.0.0.1:4',
};
const note = {
  base_url: 'http://127.0.0.1:8787/v1',
  portal_url: 'http://127.0.0.1:8788/',
  endpoints,
  pid: 7,
};

const folder = (noted?: unknown): string => {
  const data = mkdtempSync(join(scratch.path, 'data-'));
  if (noted !== undefined) writeFileSync(join(data, 'service.json'), JSON.stringify(noted));
  return data;
};

describe('the service that runs on a folder', () => {
  const refusalOf = (data: string) => () => runningService(data);
  const nothingRuns = (data: string) =>
    new StartRefusal(
      `No service is running on the data folder ${data}: start one with "sombus dev --data ${data}".`,
    );

  test('listens where its note says', () => {
    const data = folder(note);
    noteHolder(data);
    expect(runningService(data)).toEqual({
      origin: 'http://127.0.0.1:8787',
      portal: 'http://127.0.0.1:8788',
      endpoints,
    });
    removeHolder(data);
    // What a killed service leaves: a note, and nobody who holds the folder.
    expect(refusalOf(data)).toThrow(nothingRuns(data));
  });

  test('is none where there is no note yet, and the command that starts one is told', () => {
    const data = folder();
    expect(refusalOf(data)).toThrow(nothingRuns(data));
    noteHolder(data);
    expect(refusalOf(data)).toThrow(nothingRuns(data));
  });

  test.each<[string, unknown]>([
    ['no object', []],
    ['no engines', { ...note, endpoints: undefined }],
    ['not all engines', { ...note, endpoints: { ...endpoints, kms: 7 } }],
    ['no bus', { ...note, base_url: 'nowhere' }],
    ['several', { ...note, base_url: [note.base_url] }],
    ['no portal', { ...note, portal_url: undefined }],
  ])('is refused if its note has %s', (_, noted) => {
    const data = folder(noted);
    noteHolder(data);
    expect(refusalOf(data)).toThrow(
      new StartRefusal(
        `The file ${join(data, 'service.json')} is damaged: stop the service and start it again to write a new one.`,
      ),
    );
  });
});

describe('of the last run', () => {
  test('each engine is known that listened on this machine', () => {
    expect(endpointsBefore(note)).toEqual(endpoints);
    const others = {
      dynamodb: 'http://192.0.2.1:1',
      sqs: 'http://127.0.0.1:65536',
      kms: 7,
      cloudwatch: endpoints.cloudwatch,
      more: endpoints.sqs,
    };
    expect(endpointsBefore({ endpoints: others })).toEqual({ cloudwatch: endpoints.cloudwatch });
    for (const rest of [
      [endpoints.sqs],
      'https://127.0.0.1:1',
      'http://127.0.0.1',
      'http://127.0.0.1:1/x',
    ])
      expect(endpointsBefore({ endpoints: { sqs: rest } })).toEqual({});
  });

  test.each([undefined, 'text', [], {}, { endpoints: 'text' }])(
    'no engine is known from %j',
    noted => {
      expect(endpointsBefore(noted)).toEqual({});
    },
  );

  test('the address is known, and the portal beside it', () => {
    const data = folder(note);
    expect(notedBaseUrl(data)).toBe(note.base_url);
    expect(notedPortalUrl(data, note.base_url)).toBe(note.portal_url);
    expect(notedPortalUrl(data, 'http://127.0.0.1:9/v1')).toBeUndefined();
    for (const other of [folder(), folder('text'), folder({ base_url: 7, portal_url: 7 })])
      expect([notedBaseUrl(other), notedPortalUrl(other, '7')]).toEqual([undefined, undefined]);
    expect(notedPortalUrl(folder({ ...note, portal_url: 7 }), note.base_url)).toBeUndefined();
  });
});
