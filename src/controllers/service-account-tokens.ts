/**
 * Tokens that are kept in secrets, as of old: who makes a secret of the type service-account-token finds in it a token
 * of the account that it names. The secret goes when its account does.
 */

import type { LegacyClaims } from '../authn/service-account/claims.ts'
import type { JsonObject } from '../json.ts'
import { isTerminating } from '../registry/metadata.ts'
import type { Requirement } from '../storage/contract.ts'
import { parseObject } from '../storage/record.ts'
import { draftOf, objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { systemUser } from './bootstrap.ts'
import type { Controller, ControllerFactory } from './controller.ts'
import { followingController } from './following.ts'
import { createInformer } from './informer.ts'
import { changeOwn, deleteOwn } from './own-writes.ts'
import { createWorkQueue } from './work-queue.ts'

interface TokenControllerParts {
  readonly sign: (claims: Pick<LegacyClaims, 'namespace' | 'account' | 'secretName'>) => Promise<string>
  /** PEM text. */
  readonly rootCa: string
}

const manager = 'serviceaccount-token-controller'

export function createServiceAccountTokens({ sign, rootCa }: TokenControllerParts): ControllerFactory {
  return (machinery, routes): Controller => {
    const { names, clock, log } = machinery
    const maybeSecrets = routes.route('', 'v1', 'secrets')
    const maybeAccounts = routes.route('', 'v1', 'serviceaccounts')
    if (maybeSecrets === undefined || maybeAccounts === undefined) return { start() {}, close() {} }
    const [secrets, accounts] = [maybeSecrets, maybeAccounts]
    const nameKey = names.expand('{labels}/service-account.name')
    const uidKey = names.expand('{labels}/service-account.uid')
    const write = { route: secrets, machinery, user: systemUser, manager }
    /** Secrets of each account: `namespace/account` → names. */
    const byAccount = new Map<string, Set<string>>()
    const accountOf = new Map<string, string>()

    /** Undefined = there is none, or another than the secret is for. */
    async function findAccount(secret: ApiObject): Promise<ApiObject | string | undefined> {
      const { namespace = '', annotations = {} } = secret.metadata
      const name = { namespace, name: annotations[nameKey] ?? '' }
      const uid = annotations[uidKey] ?? ''
      // What the cache does not know may be newer; a secret is not deleted for that.
      for (const read of [accounts.storage.cached(name), undefined]) {
        const found = await (read ?? accounts.storage.get(name, { type: 'mostRecent' }))
        if (!found.ok) return found.failure.code
        const account = found.value === undefined ? undefined : parseObject(found.value)
        if (account !== undefined && (uid === '' || uid === account.metadata.uid)) return account
      }
      return undefined
    }

    async function lookAt(key: string): Promise<string | undefined> {
      const [namespace = '', name = ''] = key.split('/')
      const found = await secrets.storage.cached({ namespace, name })
      if (!found.ok) return found.failure.code
      if (found.value === undefined) return forget(namespace, key)
      const secret = parseObject(found.value)
      if (isTerminating(secret)) return undefined
      const account = await findAccount(secret)
      if (typeof account === 'string') return account
      if (account === undefined) return deleteOwn(write, { namespace, name }, secret.metadata.uid)
      return complete(secret, account)
    }

    async function complete(secret: ApiObject, account: ApiObject): Promise<string | undefined> {
      const { namespace = '', name = '' } = secret.metadata
      const ref = { name: account.metadata.name ?? '', uid: account.metadata.uid ?? '' }
      if (isComplete(secret, ref.uid)) return undefined
      const token = textAt(objectAt(secret, 'data'), 'token')
      const made = token === '' ? encode(await sign({ namespace, secretName: name, account: ref })) : token
      const changed = await changeOwn(write, { namespace, name }, (object) =>
        isComplete(object, ref.uid)
          ? undefined
          : {
              ...object,
              metadata: {
                ...object.metadata,
                annotations: { ...object.metadata.annotations, [uidKey]: ref.uid },
              },
              data: { token: made, ...objectAt(object, 'data'), ...fixedData(namespace) },
            },
      )
      return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
    }

    function fixedData(namespace: string): JsonObject {
      return { 'ca.crt': encode(rootCa), namespace: encode(namespace) }
    }

    function isComplete(secret: ApiObject, uid: string): boolean {
      const data = objectAt(secret, 'data')
      const fixed = fixedData(secret.metadata.namespace ?? '')
      return (
        textAt(data, 'token') !== '' &&
        Object.keys(fixed).every((key) => data?.[key] === fixed[key]) &&
        secret.metadata.annotations?.[uidKey] === uid
      )
    }

    /** An account that lists a secret which has gone lists it no longer. */
    async function forget(namespace: string, key: string): Promise<string | undefined> {
      const [, name = ''] = key.split('/')
      const account = accountOf.get(key) ?? ''
      accountOf.delete(key)
      byAccount.get(`${namespace}/${account}`)?.delete(key)
      const found = await accounts.storage.cached({ namespace, name: account })
      if (!found.ok || found.value === undefined || !lists(parseObject(found.value), name)) return undefined
      const changed = await changeOwn(
        { ...write, route: accounts },
        { namespace, name: account },
        (object) => {
          if (!lists(object, name)) return undefined
          const left = objectsAt(draftOf(object), 'secrets').filter((one) => textAt(one, 'name') !== name)
          return { ...object, secrets: [...left] }
        },
      )
      return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
    }

    function lists(account: ApiObject, secret: string): boolean {
      return objectsAt(draftOf(account), 'secrets').some((one) => textAt(one, 'name') === secret)
    }

    const queue = createWorkQueue({ clock, log, name: manager, work: lookAt })
    const tokenType: Requirement = {
      name: 'type',
      operator: 'in',
      values: [names.expand('{labels}/service-account-token')],
    }
    const informers = [
      createInformer(
        { clock, log, storage: accounts.storage, resource: 'serviceaccounts' },
        {
          set: ({ metadata: { namespace = '', name = '' } }) => revisit(namespace, name),
          remove: ({ namespace, name }) => revisit(namespace, name),
        },
      ),
      createInformer(
        {
          clock,
          log,
          storage: secrets.storage,
          resource: 'secrets',
          selector: { labels: [], fields: [tokenType] },
        },
        {
          set({ metadata: { namespace = '', name = '', annotations = {} } }) {
            const key = `${namespace}/${name}`
            const account = annotations[nameKey] ?? ''
            accountOf.set(key, account)
            const own = byAccount.get(`${namespace}/${account}`) ?? new Set()
            byAccount.set(`${namespace}/${account}`, own.add(key))
            queue.add(key)
          },
          remove: ({ namespace, name }) => queue.add(`${namespace}/${name}`),
        },
      ),
    ]

    function revisit(namespace: string, account: string): void {
      for (const key of byAccount.get(`${namespace}/${account}`) ?? []) queue.add(key)
    }

    return followingController(queue, informers)
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}
