/**
 * A served version of a custom resource as the one thing that is generic over types reads: a {@link MessageType}.
 * Its fields are what the API itself knows of every object, the metadata; all else is in the schema, which readers of
 * bodies, owners and published documents look into where `structural` is there.
 */

import type { Field, MessageType } from '../../schema/descriptor.ts'
import type { Structural } from '../schema/structural.ts'

interface CustomKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** `objectMeta` = the message `meta/v1.ObjectMeta` of the server. */
export function customMessage(
  structural: Structural,
  { group, version, kind }: CustomKind,
  objectMeta: MessageType,
): MessageType {
  const fields = [metadataField(objectMeta)]
  return {
    id: `${group}/${version}.${kind}`,
    name: kind,
    root: true,
    fields,
    jsonFields: new Map(fields.map((field) => [field.name, field])),
    jsonOnly: true,
    structural,
  }
}

function metadataField(objectMeta: MessageType): Field {
  return {
    name: 'metadata',
    protoName: 'metadata',
    number: 1,
    type: { kind: 'message', message: objectMeta },
    required: false,
    omitEmpty: true,
    pointer: true,
    inline: false,
    nullable: false,
    defaultPublished: false,
    enumOpen: false,
    unionDiscriminator: false,
  }
}
