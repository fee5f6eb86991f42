import { messageAttributesOf } from '../../../lib/engines/sqs/message-contents.ts';

const read = (attribute: object) => messageAttributesOf({ given: { a: attribute } }, 'given');

test.each(['0', '-1', '+1.5', '.5', '1e10', '1.E-3'])('%j is a number', StringValue => {
  expect(read({ DataType: 'Number', StringValue })).toEqual({ a: { DataType: 'Number', StringValue } });
});

test.each(['0x10', '1_0', '0b1', 'NaN', 'Infinity', '1e999', ' 1', '.', 'e1'])(
  '%j is no number',
  StringValue => {
    expect(() => read({ DataType: 'Number', StringValue })).toThrow(`Can't cast the value`);
  },
);

test.each(['!!!', 'YQ', 'YQ=', 'YR=='])('%j is not base64', BinaryValue => {
  expect(() => read({ DataType: 'Binary', BinaryValue })).toThrow('is not base64');
});
