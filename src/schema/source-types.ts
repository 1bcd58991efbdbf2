/** Names in `.proto` sources of the types that hold nothing below them → our names. */
export const leafTypes: ReadonlyMap<string, string> = new Map([
  ['string', 'string'],
  ['bool', 'bool'],
  ['int32', 'int32'],
  ['int64', 'int64'],
  ['double', 'double'],
  ['bytes', 'bytes'],
  ['Quantity', 'quantity'],
  ['IntOrString', 'intOrString'],
  ['Time', 'time'],
  ['MicroTime', 'microTime'],
  ['RawExtension', 'rawExtension'],
  ['Json', 'json'],
])
