import { asset, breaking, counts, instanceOf, type Members, only } from './stage.ts';

const credential = instanceOf('record-provenance-on-ingest', 'p1', {
  subject_path: 'assets[]',
  record_path: 'assets[].authenticity_credential',
  record_kind: 'capture-chain',
});
const fingerprint = instanceOf('record-provenance-on-ingest', 'p2', {
  subject_path: 'editorial_source[]',
  record_path: 'editorial_source[].content_hash',
  record_kind: 'source-fingerprint',
  prior_credibility: { WIRE: 'TRUSTED' },
});
const credibility = {
  ...fingerprint,
  values: { ...fingerprint.values, record_path: 'editorial_source[].credibility' },
};
const present = (is: boolean) => ({ authenticity_credential: { present: is } });
const assets = (...list: readonly object[]): Members => ({ assets: list });
const source = (type: string, more: object = {}) => ({
  editorial_source: [{ source_id: 's-1', source_type: type, credibility: 'UNVERIFIED', ...more }],
});

describe('record-provenance-on-ingest', () => {
  test('says that a subject has no record, and what its credibility is until then', () => {
    expect(only(credential, assets(asset('y', present(true)), asset('x')))).toMatchObject({
      severity: 'inform',
      affected_fields: ['assets[1].authenticity_credential'],
      detail: 'capture-chain of x is absent; its credibility is UNVERIFIED until there is a record.',
    });
    expect(only(fingerprint, source('WIRE')).detail).toContain('s-1 is absent; its credibility is TRUSTED');
    expect(only(fingerprint, source('wire')).detail).toContain('its credibility is UNVERIFIED');
  });

  test.each([
    ['a record', credential, [assets(asset('x', present(true)))], [0]],
    ['a record of an absence', credential, [assets(asset('x', present(false)))], [0]],
    ['no subject', credential, [{}], [0]],
    ['a further subject', credential, [assets(asset('x')), assets(asset('x'), asset('y'))], [1, 1]],
    ['a subject that stays', credential, [assets(asset('x')), assets(asset('x'))], [1, 0]],
    ['two subjects', credential, [assets(asset('x'), asset('y'))], [2]],
    [
      'a record that comes later',
      credential,
      [assets(asset('x')), assets(asset('x', present(true)))],
      [1, 0],
    ],
    ['a source with its record', credibility, [source('WIRE')], [0]],
  ])('%s', (_title, instance, steps, expected) => {
    expect(counts(instance, ...steps)).toEqual(expected);
  });

  test('a record that cannot be read is none', () => {
    const warning = only(credential, assets(asset('x', { authenticity_credential: null })));
    expect(warning.detail).toContain('could not be read');
  });

  test('a record elsewhere in the story names its subject as its target', () => {
    const instance = { ...credential, values: { ...credential.values, record_path: 'assertions[]' } };
    const checked = { assertions: [{ target: { kind: 'ASSET', id: 'x' }, claim: {} }] };
    expect(only(instance, { ...assets(asset('x'), asset('y')), ...checked }).detail).toContain(
      'of y is absent',
    );
  });
});

const enriching = (values: object = {}) =>
  instanceOf('enrich-on-condition', 'e1', {
    condition_path: 'assets[].authenticity_credential.present',
    condition_value: false,
    enrichment: 'frame-check',
    enrichment_record_path: 'assertions[]',
    clearing_authority: 'desk-editor',
    applies_to_position: ['PRIMARY'],
    ...values,
  });
const detection = (claim: object, id = 'x') => ({
  assertions: [{ assertion_type: 'DETECTION', target: { kind: 'ASSET', id }, claim }],
});
const wanted = assets(asset('x', present(false)));

describe('enrich-on-condition', () => {
  test('asks for the enrichment of the asset whose condition holds', () => {
    expect(only(enriching(), assets(asset('y', present(true)), asset('x', present(false))))).toMatchObject({
      severity: 'inform',
      affected_fields: ['assets[1].authenticity_credential.present'],
      detail:
        'frame-check is wanted for x: assets[].authenticity_credential.present is false; desk-editor or above clears it.',
    });
  });

  test('what is not there cannot be read: that counts as the condition holding', () => {
    const { detail } = only(enriching({ reason_template: 'ask the desk' }), assets(asset('x')));
    expect(detail).toContain('assets[].authenticity_credential.present could not be read');
    expect(detail).toContain('ask the desk');
  });

  test.each([
    ['another value', enriching(), [assets(asset('x', present(true)))], [0]],
    ['the same text instead of a boolean', enriching({ condition_value: 'false' }), [wanted], [0]],
    ['a record', enriching(), [{ ...wanted, ...detection({ detection_class: 'frame-check' }) }], [0]],
    [
      'a record of another enrichment',
      enriching(),
      [{ ...wanted, ...detection({ detection_class: 'other' }) }],
      [1],
    ],
    [
      'a record of another asset',
      enriching(),
      [{ ...wanted, ...detection({ detection_class: 'frame-check' }, 'y') }],
      [1],
    ],
    [
      'another position',
      enriching(),
      [assets(asset('x', { ...present(false), evidential_position: 'SECONDARY' }))],
      [0],
    ],
    [
      'no list of positions',
      enriching({ applies_to_position: undefined }),
      [assets(asset('x', { ...present(false), evidential_position: undefined }))],
      [1],
    ],
    ['no asset', enriching(), [{}], [0]],
    ['a story that changes elsewhere', enriching(), [wanted, { ...wanted, headline: 'More' }], [1, 0]],
    [
      'a record inside the asset',
      enriching({ enrichment_record_path: 'assets[].provenance' }),
      [assets(asset('x', { ...present(false), provenance: { author: 'HUMAN' } }))],
      [0],
    ],
    [
      'a condition of the whole story',
      enriching({ condition_path: 'lifecycle.phase', condition_value: 'BREAKING' }),
      [{ ...breaking, ...assets(asset('x'), asset('y')) }],
      [2],
    ],
  ])('%s', (_title, instance, steps, expected) => {
    expect(counts(instance, ...steps)).toEqual(expected);
  });
});
