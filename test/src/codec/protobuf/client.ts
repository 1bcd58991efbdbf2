/** A client that speaks protobuf, with nothing of the server's own codec. */

import type protobuf from 'protobufjs'
import type { JsonObject } from '../../../../src/json.ts'
import type { Names } from '../../../../src/names/names.ts'
import { exchangeWith } from '../../../support/fake-exchange.ts'
import { adminToken, type InProcessServer } from '../../../support/in-process-server.ts'
import { decodeWith, fromJson, loadSources, toJson, typeOf } from './reflection.ts'

const sources = loadSources()
const magic = Buffer.from('6b387300', 'hex')

/** An object as JSON would have it: apiVersion and kind come from the envelope. */
interface Received {
  readonly apiVersion: string
  readonly kind: string
  readonly [member: string]: unknown
}

interface Event {
  readonly type: string
  readonly object: Received
}

function own(name: string): protobuf.Type {
  return sources.lookupType(name)
}

/** `message`: of the object, `core/v1.ConfigMap`. */
export function pack(message: string, json: JsonObject): Buffer {
  const type = typeOf(sources, message)
  const { apiVersion, kind, ...rest } = json
  const raw = type.encode(type.fromObject(fromJson(type, rest))).finish()
  const unknown = own('Unknown').fromObject({ typeMeta: { apiVersion, kind }, raw })
  return Buffer.concat([magic, own('Unknown').encode(unknown).finish()])
}

interface Opened {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Buffer
}

function open(document: Buffer): Opened {
  if (!document.subarray(0, 4).equals(magic)) throw new Error(`no document: ${document.toString()}`)
  const unknown = decodeWith(own('Unknown'), document.subarray(4))
  const { apiVersion, kind } = unknown['typeMeta'] as { apiVersion: string; kind: string }
  return { apiVersion, kind, raw: Buffer.from(String(unknown['raw'] ?? ''), 'base64') }
}

/** What a Status is, a document may be whatever was asked for. */
export function unpack(message: string, document: Buffer): Received {
  const { apiVersion, kind, raw } = open(document)
  const type = typeOf(sources, kind === 'Status' ? 'meta/v1.Status' : message)
  return { apiVersion, kind, ...toJson(type, decodeWith(type, raw)) }
}

/** `message`: of the items. */
export function unpackList(message: string, document: Buffer): Received & { readonly items: JsonObject[] } {
  const { apiVersion, kind, raw } = open(document)
  const list = decodeWith(own('AnyList'), raw)
  const type = typeOf(sources, message)
  const items = (list['items'] ?? []) as string[]
  return {
    apiVersion,
    kind,
    metadata: list['metadata'],
    items: items.map((item) => toJson(type, decodeWith(type, Buffer.from(item, 'base64')))),
  }
}

/** Whole frames of a stream. */
function unpackFrames(message: string, stream: Buffer): readonly Event[] {
  const events: Event[] = []
  for (let at = 0; at + 4 <= stream.length; ) {
    const end = at + 4 + stream.readUInt32BE(at)
    if (end > stream.length) break
    const event = decodeWith(own('WatchEvent'), stream.subarray(at + 4, end))
    const { raw } = event['object'] as { raw: string }
    events.push({ type: String(event['type']), object: unpack(message, Buffer.from(raw, 'base64')) })
    at = end
  }
  return events
}

interface FrameWatch {
  readonly contentType: string
  /** Events up to the first that fits. */
  until(fits: (event: Event) => boolean): Promise<readonly Event[]>
  close(): void
}

export async function watchFrames(
  server: InProcessServer,
  names: Names,
  target: string,
  message: string,
  accept = names.protobufMediaType,
): Promise<FrameWatch> {
  const headers = { authorization: `Bearer ${adminToken}`, accept }
  const fake = exchangeWith(server.api.handler, { method: 'GET', target, headers })
  const { headers: sent } = await fake.started
  let wake = () => {}
  fake.onProgress(() => wake())
  return {
    contentType: String(sent['content-type']),
    async until(fits) {
      for (;;) {
        const events = unpackFrames(message, fake.bytes())
        const at = events.findIndex(fits)
        if (at >= 0) return events.slice(0, at + 1)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    close: () => fake.disconnect(),
  }
}
