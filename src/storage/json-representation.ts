/** Watch frames as plain JSON of the storage version: the stored bytes between a head and a foot, one line each. */

import type { Names } from '../names/names.ts'
import { toStatus } from '../status/status.ts'
import type { EventType, Representation } from './contract.ts'
import { watchApiFailure } from './failures.ts'

const heads: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
}
const foot = Buffer.from('}\n')

/** Source: specification, "Watch event". */
export function jsonRepresentation(
  kind: { readonly apiVersion: string; readonly kind: string },
  names: Names,
): Representation {
  const endAnnotation = names.expand('{groups}/initial-events-end')
  return {
    id: `json ${kind.apiVersion} ${kind.kind}`,
    event: (type, { json }) => jsonEventFrame(type, json),
    bookmark(revision, initialEventsEnd) {
      const annotations = initialEventsEnd ? { annotations: { [endAnnotation]: 'true' } } : {}
      return jsonFrame('BOOKMARK', {
        kind: kind.kind,
        apiVersion: kind.apiVersion,
        metadata: { resourceVersion: String(revision), creationTimestamp: null, ...annotations },
      })
    },
    error: (failure) => jsonFrame('ERROR', toStatus(watchApiFailure(failure))),
  }
}

/** The frame around an object that is JSON already. */
export function jsonEventFrame(type: EventType, json: Buffer): Buffer {
  const head = heads[type]
  const frame = Buffer.allocUnsafe(head.length + json.length + foot.length)
  head.copy(frame, 0)
  json.copy(frame, head.length)
  foot.copy(frame, head.length + json.length)
  return frame
}

/** The frame around a value that is still to be written. */
export function jsonFrame(type: 'BOOKMARK' | 'ERROR' | EventType, object: unknown): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`)
}
