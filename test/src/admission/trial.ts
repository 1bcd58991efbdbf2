/** One write before one plugin: what comes out of it, or why it is refused. */

import type { AdmissionPlugin, AdmissionRequest, Operation } from '../../../src/admission/admission.ts'
import type { Lookups } from '../../../src/admission/lookup.ts'
import type { User } from '../../../src/pipeline/user.ts'
import type { ApiObject } from '../../../src/types/object.ts'
import { ok } from '../../../store/contract.ts'
import { typeOf, types } from '../types/types.ts'

export const registry = types(new Map([['api/all', true]]), new Map([['AllAlpha', true]]))

export interface Trial {
  readonly operation?: Operation
  readonly subresource?: string
  /** `v1 Pod`. */
  readonly kind: string
  readonly object: object
  readonly old?: object
  readonly user?: User
  /** Filled by the plugin. */
  readonly warnings?: string[]
}

const jane: User = { name: 'jane', uid: '', groups: ['developers'], extra: new Map() }

/** What is stored, by storage prefix. */
export type Stored = Readonly<Record<string, readonly object[]>>

export function lookupsOf(stored: Stored): Lookups {
  return (prefix) => {
    const objects = (stored[prefix] ?? []).map(whole)
    const inside = (namespace: string) =>
      objects.filter(({ metadata }) => namespace === '' || metadata.namespace === namespace)
    return {
      get: async ({ namespace, name }) =>
        ok(inside(namespace).find(({ metadata }) => metadata.name === name)),
      list: async (namespace) => ok(inside(namespace)),
    }
  }
}

function whole(object: object): ApiObject {
  return { apiVersion: '', kind: '', metadata: {}, ...structuredClone(object) }
}

/** The object after the plugin, or the message of its refusal. */
export async function attempt(plugin: AdmissionPlugin, trial: Trial): Promise<ApiObject | string> {
  const [apiVersion = '', kind = ''] = trial.kind.split(' ')
  const object = { ...whole(trial.object), apiVersion, kind }
  const { operation = 'CREATE', subresource = '', user = jane } = trial
  const request: AdmissionRequest = {
    operation,
    type: typeOf(registry, apiVersion, kind),
    subresource,
    namespace: 'ns',
    name: object.metadata.name ?? '',
    user,
    dryRun: false,
    object,
    warnings: trial.warnings ?? [],
    ...(trial.old === undefined ? {} : { oldObject: whole(trial.old) }),
  }
  const before = JSON.stringify(object)
  const mutation = await plugin.mutate?.(request)
  const declared = plugin.changes?.includes(request.type.storage?.prefix ?? '') ?? false
  if (operation === 'CREATE' && JSON.stringify(object) !== before && !declared)
    throw new Error(`${plugin.name} changes ${kind} without having said so`)
  const refused = mutation ?? (await plugin.validate?.(request))
  return refused === undefined ? object : refused.message
}

export function pod(spec: object, metadata: object = {}): object {
  return {
    metadata: { name: 'p', namespace: 'ns', ...metadata },
    spec: { containers: [{ name: 'c' }], ...spec },
  }
}
