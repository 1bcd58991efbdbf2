/**
 * Objects and their owners as data. An object is written without its identity; owners are written as
 *
 *     { 'alice Apply': ['.spec.size', …], 'bob Update status': […] }
 */

import { describePath } from '../../../src/apply/element.ts'
import { storedEntries } from '../../../src/apply/entries.ts'
import {
  createFieldManager,
  type FieldManager,
  type FieldManagerOptions,
} from '../../../src/apply/field-manager.ts'
import { pathsOf } from '../../../src/apply/field-set.ts'
import type { JsonObject, JsonValue } from '../../../src/json.ts'
import type { MessageType } from '../../../src/schema/descriptor.ts'
import { normalizeMessage } from '../../../src/schema/normalize.ts'
import type { ApiFailure } from '../../../src/status/status.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import type { Result } from '../../../store/contract.ts'
import { field, keyed, kindOf, list, map, message, setOfStrings } from '../../support/schema.ts'

export type Plain = Record<string, JsonValue>
export type Owners = Readonly<Record<string, readonly string[]>>

/** Has every kind of thing that ownership treats in a way of its own. */
const portMessage = message('Port', {
  port: field('int32', { required: true, omitEmpty: false }),
  protocol: field('string', { default: 'TCP' }),
  name: 'string',
  target: field('intOrString', { pointer: true }),
})
const itemMessage = message('Item', {
  name: field('string', { required: true, omitEmpty: false }),
  image: 'string',
  args: list('string', { listType: 'atomic' }),
  env: map('string'),
  ports: keyed(['port', 'protocol'], portMessage),
})
const selectorMessage = message(
  'Selector',
  { match: map('string'), expressions: list('string') },
  { structType: 'atomic' },
)
const specMessage = message('Spec', {
  size: field('int32', { pointer: true }),
  paused: field('bool', { pointer: true }),
  memory: field('quantity', { pointer: true }),
  deadline: field('time', { pointer: true }),
  selector: selectorMessage,
  limits: map('quantity'),
  nodeSelector: map('string', { mapType: 'atomic' }),
  items: keyed(['name'], itemMessage),
  byPatchKey: list(itemMessage, { patchStrategy: ['merge'], patchMergeKey: 'name' }),
  tags: setOfStrings(),
  command: list('string', { listType: 'atomic' }),
  untold: list(itemMessage),
  extra: field('rawExtension', { pointer: true }),
  strategy: message('Strategy', { type: 'string', percent: field('intOrString', { pointer: true }) }),
})
export const widget: MessageType = kindOf('Widget', {
  spec: field(specMessage, { pointer: false }),
  status: field(
    message('Status', {
      ready: field('int32', {}),
      conditions: keyed(
        ['type'],
        message('Condition', { type: field('string', { omitEmpty: false }), status: 'string' }),
      ),
    }),
    { pointer: false },
  ),
})

const identity = { apiVersion: 'test/v1', kind: 'Widget' }

/** `{ spec: … }` as an object of the API; `metadata` is completed. */
export function object(body: Plain): ApiObject {
  const metadata = { name: 'w', namespace: 'ns', ...((body['metadata'] ?? {}) as Plain) }
  return normalizeMessage(widget, { ...identity, ...body, metadata }) as unknown as ApiObject
}

/** As a client sends it: nothing added but the identity. */
export function body(fields: Plain): Plain {
  const metadata = { name: 'w', namespace: 'ns', ...((fields['metadata'] ?? {}) as Plain) }
  return { ...identity, ...fields, metadata }
}

export function ownersOf(of: ApiObject): Owners {
  const entries = storedEntries(of.metadata.managedFields) ?? []
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fields }) => [
      [manager, operation, subresource].filter((word) => word !== '').join(' '),
      pathsOf(fields).map(describePath).sort(),
    ]),
  )
}

/** Without identity and managed fields; empty parts left out. */
export function contentOf({ apiVersion: _, kind: __, metadata, ...rest }: ApiObject): Plain {
  const { name: ___, namespace: ____, managedFields: _____, ...own } = metadata
  const all = { ...(rest as unknown as Plain), metadata: own as unknown as Plain }
  return Object.fromEntries(
    Object.entries(all)
      .map(([name, value]) => [name, withoutNulls(value as Plain)] as const)
      .filter(([, value]) => Object.keys(value).length > 0),
  )
}

function withoutNulls(part: Plain): Plain {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== null))
}

/** One object and everything that is written to it; each write happens a second after the one before. */
export interface Playground {
  live: ApiObject | undefined
  readonly manager: FieldManager
  apply(manager: string, fields: Plain, options?: { force?: boolean }): Result<boolean, ApiFailure>
  update(manager: string, fields: Plain): readonly string[]
  now(): string
}

export function playground(options: Partial<FieldManagerOptions> = {}): Playground {
  const manager = createFieldManager({ message: widget, apiVersion: 'test/v1', kind: 'Widget', ...options })
  let second = 0
  const message = options.message ?? widget
  const world: Playground = {
    live: undefined,
    manager,
    apply(name, fields, { force = false } = {}) {
      second++
      const before = JSON.stringify(world.live)
      const applied = body(fields)
      const bodyBefore = JSON.stringify(applied)
      const result = manager.apply({ live: world.live, applied, manager: name, force, now: world.now() })
      if (JSON.stringify(world.live) !== before || JSON.stringify(applied) !== bodyBefore) {
        throw new Error('apply changed its arguments')
      }
      if (!result.ok) return result
      const { object: next, changed } = result.value
      if (changed === (next === world.live)) throw new Error('changed and the object disagree')
      world.live = changed ? normalized(message, next) : next
      return { ok: true, value: changed }
    },
    update(name, fields) {
      second++
      const metadata = { ...(world.live?.metadata ?? {}), ...((fields['metadata'] ?? {}) as Plain) } as Plain
      const updated = normalized(message, body({ ...fields, metadata }) as unknown as ApiObject)
      const result = manager.updateManagedFields({
        live: world.live,
        updated,
        manager: name,
        now: world.now(),
      })
      world.live = result.object
      return result.warnings
    },
    now: () => new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString().replace('.000Z', 'Z'),
  }
  return world
}

function normalized(message: MessageType, from: ApiObject): ApiObject {
  return normalizeMessage(message, from as unknown as JsonObject) as unknown as ApiObject
}
