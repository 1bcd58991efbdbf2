/**
 * Keeps namespaces and what is in them together: nothing is created in a namespace that does not exist or is on its
 * way out, and the system's own namespaces stay.
 *
 * Source: specification, "Plugins enabled by default": NamespaceLifecycle.
 */

import type { Clock } from '../../store/contract.ts'
import type { Names } from '../names/names.ts'
import { forbidden, notFound, type ResourceRef } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { CachedObject, ResourceStorage } from '../storage/contract.ts'
import { readApiFailure } from '../storage/failures.ts'
import type { AdmissionPlugin, AdmissionRequest, Verdict } from './admission.ts'

const namespacesRef: ResourceRef = { group: '', resource: 'namespaces' }

/** After a deletion the cache is not trusted with this namespace for a while. Milliseconds. */
const distrustMs = 30_000
const distrustedMax = 4096

export function createNamespaceLifecycle(
  names: Names,
  namespaces: ResourceStorage,
  clock: Clock,
): AdmissionPlugin {
  const immortal: ReadonlySet<string> = new Set(['default', names.systemNamespace, names.publicNamespace])
  /** Namespaces deleted through this process, and until when only the newest state counts for them. */
  const distrusted = new Map<string, number>()

  function distrust(name: string): void {
    if (distrusted.size >= distrustedMax) distrusted.clear()
    distrusted.set(name, clock.monotonicMs() + distrustMs)
  }

  function isTrusted(name: string): boolean {
    const until = distrusted.get(name)
    if (until === undefined) return true
    if (until > clock.monotonicMs()) return false
    distrusted.delete(name)
    return true
  }

  /** From the cache, in this turn, where it knows the namespace; what it does not know may be newer than it. */
  function admit(request: AdmissionRequest): Verdict {
    const known = isTrusted(request.namespace)
      ? namespaces.peek({ namespace: '', name: request.namespace })
      : undefined
    if (known === undefined) return check(request)
    return isTerminating(known) ? terminating(request) : undefined
  }

  async function check(request: AdmissionRequest): Promise<ApiFailure | undefined> {
    const name = { namespace: '', name: request.namespace }
    let found = isTrusted(request.namespace)
      ? await namespaces.cached(name)
      : await namespaces.get(name, { type: 'mostRecent' })
    if (found.ok && found.value === undefined) found = await namespaces.get(name, { type: 'mostRecent' })
    if (!found.ok) return readApiFailure(found.failure)
    if (found.value === undefined) return notFound(namespacesRef, request.namespace)
    return isTerminating(found.value) ? terminating(request) : undefined
  }

  return {
    name: 'NamespaceLifecycle',
    mutate(request) {
      const isNamespace = request.type.group === '' && request.type.plural === 'namespaces'
      if (request.operation === 'DELETE' && isNamespace) {
        if (immortal.has(request.name))
          return forbidden(namespacesRef, request.name, 'this namespace may not be deleted')
        distrust(request.name)
      }
      if (request.operation !== 'CREATE' || request.namespace === '' || isNamespace) return undefined
      return admit(request)
    },
  }
}

const deletionMark = '"deletionTimestamp":"'

/** Namespaces as they were when they were looked at, and not being deleted. */
const alive = new WeakSet<CachedObject>()

function isTerminating(namespace: CachedObject): boolean {
  if (alive.has(namespace)) return false
  const terminating = isMarked(namespace)
  if (!terminating) alive.add(namespace)
  return terminating
}

/** Reads the bytes before it parses them: creations are many, dying namespaces are few. */
function isMarked({ json }: CachedObject): boolean {
  if (!json.includes(deletionMark)) return false
  const object: unknown = JSON.parse(json.toString('utf8'))
  return (
    typeof object === 'object' &&
    object !== null &&
    'metadata' in object &&
    typeof object.metadata === 'object' &&
    object.metadata !== null &&
    'deletionTimestamp' in object.metadata
  )
}

function terminating({ type, name, namespace }: AdmissionRequest): ApiFailure {
  return forbidden(
    { group: type.group, resource: type.plural },
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  )
}
