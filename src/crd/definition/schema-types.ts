/** The types of OpenAPI v3. `null` is none of them. */
export const schemaTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'] as const

/** '' says nothing, which is another rule's. */
export function isSchemaType(type: string): boolean {
  return type === '' || schemaTypes.some((one) => one === type)
}
