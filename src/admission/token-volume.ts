/** The volume in which a pod finds its credentials: a token, the CA to trust, the namespace it is in. */

import type { Names } from '../names/names.ts'
import type { Identifiers } from '../pipeline/identifiers.ts'
import type { Draft } from '../schema/defaults.ts'
import { objectsAt, textAt } from '../types/draft.ts'
import { append } from './request.ts'

/** An hour, and seven seconds that tell tokens made here from others. */
const tokenLifetimeSeconds = 3607
/** Octal 0644. */
const fileMode = 420
const suffixLength = 5

/** Mounts it in every container that has nothing there, and makes the volume where one needs it. */
export function mountToken(spec: Draft, names: Names, identifiers: Identifiers): void {
  const prefix = names.expand('{prefix}-api-access-')
  const mountPath = names.expand('/var/run/secrets/{labels}/serviceaccount')
  const existing = objectsAt(spec, 'volumes').find((volume) => textAt(volume, 'name').startsWith(prefix))
  const name =
    existing === undefined ? prefix + identifiers.nameSuffix(suffixLength) : textAt(existing, 'name')
  let mounted = false
  for (const container of [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')]) {
    if (objectsAt(container, 'volumeMounts').some((mount) => textAt(mount, 'mountPath') === mountPath))
      continue
    append(container, 'volumeMounts', { name, readOnly: true, mountPath })
    mounted = true
  }
  if (mounted && existing === undefined) append(spec, 'volumes', { name, projected: projection(names) })
}

function projection(names: Names): Draft {
  return {
    defaultMode: fileMode,
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: tokenLifetimeSeconds } },
      {
        configMap: {
          name: names.expand('{prefix}-root-ca.crt'),
          items: [{ key: 'ca.crt', path: 'ca.crt' }],
        },
      },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  }
}
