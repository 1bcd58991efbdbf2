/** What the sources say of messages and fields, for those who ask what they mean. Build step only. */

import type protobuf from 'protobufjs'

/** The comments before a message and before its fields, each as one paragraph. */
export function comments(type: protobuf.Type): Record<string, string> {
  const commented: (readonly [string, string | null])[] = [
    ['', type.comment],
    ...type.fieldsArray.map((field) => [jsonName(field), field.comment] as const),
  ]
  return Object.fromEntries(
    commented.flatMap(([name, comment]) =>
      comment === null || comment === '' ? [] : [[name, comment.replace(/\s+/g, ' ')]],
    ),
  )
}

function jsonName(field: protobuf.Field): string {
  const given: unknown = field.options?.['json_name']
  return typeof given === 'string' ? given : field.name
}
