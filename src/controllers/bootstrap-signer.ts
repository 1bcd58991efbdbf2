/**
 * Signs the config map `cluster-info` of the public namespace with every bootstrap token that may sign, and takes
 * signatures of others away.
 *
 * Source: specification, "Bootstrap tokens".
 */

import {
  type BootstrapToken,
  bootstrapSecretType,
  bootstrapTokenOf,
  hasExpired,
} from '../authn/bootstrap-token-secret.ts'
import type { JsonObject } from '../json.ts'
import type { DialectName } from '../names/names.ts'
import type { Machinery } from '../registry/machinery.ts'
import type { Selector } from '../storage/contract.ts'
import { objectAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { systemUser } from './bootstrap.ts'
import { detachedSignature } from './bootstrap-signature.ts'
import type { Controller, Routes } from './controller.ts'
import { followingController } from './following.ts'
import { createInformer } from './informer.ts'
import { changeOwn } from './own-writes.ts'
import { createWorkQueue } from './work-queue.ts'

const manager = 'bootstrap-signer-controller'
const clusterInfo = 'cluster-info'
const signed = 'kubeconfig'
/** Longest wait for an end: clocks are set, and timers have a longest time. */
const lookMs = 3_600_000
const signaturePrefix = `jws-${signed}-`

export function createBootstrapSigner(machinery: Machinery, routes: Routes): Controller {
  const { names, clock, log } = machinery
  const configMaps = routes.route('', 'v1', 'configmaps')
  const secrets = routes.route('', 'v1', 'secrets')
  if (configMaps === undefined || secrets === undefined) return { start() {}, close() {} }
  const write = { route: configMaps, machinery, user: systemUser, manager }
  const name = { namespace: names.publicNamespace, name: clusterInfo }
  const tokens = new Map<string, BootstrapToken>()
  let isKnown = false

  async function sign(): Promise<string | undefined> {
    // Nothing is taken away before all tokens have been heard of.
    if (!isKnown) return undefined
    // One moment for all: a token that ends while its signature is written is looked at again.
    const nowMs = clock.wallMs()
    const signing = [...tokens.values()].filter((token) => token.signs && !hasExpired(token, nowMs))
    const changed = await changeOwn(write, name, (object) => {
      const data = objectAt(object, 'data') ?? {}
      const wanted = signedData(data, signing, names.dialect)
      return sameData(wanted, data) ? undefined : { ...object, data: wanted }
    })
    const ends = signing.flatMap(({ expiresMs }) =>
      expiresMs === undefined ? [] : [Math.max(0, expiresMs - clock.wallMs()) + 1],
    )
    // A signature ends with its token, whether or not somebody deletes the token then.
    if (ends.length > 0) queue.addLater(clusterInfo, Math.min(...ends, lookMs))
    return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
  }

  const queue = createWorkQueue({ clock, log, name: manager, work: sign })
  const again = (): void => queue.add(clusterInfo)
  const informers = [
    createInformer(
      {
        clock,
        log,
        storage: configMaps.storage,
        resource: 'configmaps',
        namespace: names.publicNamespace,
        selector: onField('metadata.name', clusterInfo),
      },
      { set: again, remove() {} },
    ),
    createInformer(
      {
        clock,
        log,
        storage: secrets.storage,
        resource: 'secrets',
        namespace: names.systemNamespace,
        selector: onField('type', bootstrapSecretType(names)),
      },
      {
        set(secret: ApiObject) {
          const token = bootstrapTokenOf(secret, names)
          if (token === undefined) tokens.delete(secret.metadata.name ?? '')
          else tokens.set(secret.metadata.name ?? '', token)
          again()
        },
        remove(gone) {
          tokens.delete(gone.name)
          again()
        },
      },
    ),
  ]

  const following = followingController(queue, informers)
  return {
    start() {
      following.start()
      void informers[1]?.synced.then(() => {
        isKnown = true
        again()
      })
    },
    close: following.close,
  }
}

/** What the config map is to hold: all that it does, and the signatures of these tokens and no others. */
function signedData(data: JsonObject, tokens: readonly BootstrapToken[], dialect: DialectName): JsonObject {
  const kept = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix))
  const content = textAt(data, signed)
  const signatures = (content === '' ? [] : tokens).map((token): [string, string] => [
    signaturePrefix + token.id,
    detachedSignature(content, token, dialect),
  ])
  return Object.fromEntries([...kept, ...signatures])
}

function sameData(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

/** The selector of objects in which a field has a value. */
export function onField(name: string, value: string): Selector {
  return { labels: [], fields: [{ name, operator: 'in', values: [value] }] }
}
