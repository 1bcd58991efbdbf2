/**
 * What lists and watches must show, worked out in the plainest way from the full history of a store: objects are parsed
 * JSON, selectors are functions, and every state is replayed from the first event.
 */

import type { Key, Revision, Store, StoreEvent } from '../../../store/contract.ts'
import { key, revision } from '../../../store/contract.ts'

export interface OracleObject {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly color: string
  readonly revision: number
}

export interface OracleView {
  readonly namespace?: string
  readonly name?: string
  readonly selects: (object: OracleObject) => boolean
}

export interface Oracle {
  /** Highest revision that is known. */
  readonly revision: number
  /** `namespace/name@revision` in key order. */
  list(at: number, view: OracleView): readonly string[]
  /** `TYPE namespace/name@revision` of everything after a revision. */
  changes(after: number, view: OracleView): readonly string[]
}

/** Everything that ever happened in a store. */
export interface History {
  readonly history: readonly StoreEvent[]
  readonly revision: number
}

/** Records a store, which must not lose history meanwhile, from its first revision on. */
export function recordHistory(store: Store): History & { close(): void } {
  const history: StoreEvent[] = []
  let reached = 0
  const watch = store.watch(
    { start: key(' '), end: key('\xff'), from: revision(1) },
    {
      onBatch(batch) {
        history.push(...batch.events)
        reached = batch.revision
      },
      onEnd() {},
    },
  )
  return {
    history,
    get revision() {
      return reached
    },
    close: () => watch.close(),
  }
}

export function createOracle(source: History): Oracle {
  const { history } = source
  return {
    get revision() {
      return source.revision
    },

    list(at, view) {
      const state = new Map<Key, OracleObject>()
      for (const event of history) {
        if (event.revision > at) break
        if (event.type === 'put') state.set(event.key, read(event.value, event.revision))
        else state.delete(event.key)
      }
      return [...state]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, object]) => object)
        .filter((object) => shows(view, object))
        .map((object) => `${object.namespace}/${object.name}@${object.revision}`)
    },

    changes(after, view) {
      const state = new Map<Key, OracleObject>()
      const lines: string[] = []
      for (const event of history) {
        const before = state.get(event.key)
        const now = event.type === 'put' ? read(event.value, event.revision) : undefined
        if (now === undefined) state.delete(event.key)
        else state.set(event.key, now)
        const was = before !== undefined && shows(view, before)
        const is = now !== undefined && shows(view, now)
        const subject = now ?? before
        if (event.revision <= after || subject === undefined || (!was && !is)) continue
        const type = is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED'
        lines.push(`${type} ${subject.namespace}/${subject.name}@${event.revision}`)
      }
      return lines
    },
  }
}

function shows(view: OracleView, object: OracleObject): boolean {
  if (view.namespace !== undefined && view.namespace !== object.namespace) return false
  if (view.name !== undefined && view.name !== object.name) return false
  return view.selects(object)
}

/** Finds the object in a record without knowing its format: it is the last JSON object of the value. */
function read(value: Buffer, at: Revision): OracleObject {
  const text = value.toString('utf8')
  const object = JSON.parse(text.slice(text.indexOf('{"apiVersion"')))
  const { name, namespace = '', labels = {} } = object.metadata
  return { namespace, name, labels, color: object.spec.color, revision: at }
}
