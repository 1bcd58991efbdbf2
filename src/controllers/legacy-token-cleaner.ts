/**
 * Voids tokens that were put into secrets for accounts and that nobody uses: after a year without use they are marked
 * (`…/legacy-token-invalid-since`) and refused, after another year their secrets are deleted. Tokens that somebody asked
 * for by making a secret, and those that a pod mounts, are left alone.
 */

import { podReferences } from '../authz/node/references.ts'
import { type Machinery, type ResourceRoute, timestamp } from '../registry/machinery.ts'
import { isTerminating } from '../registry/metadata.ts'
import { parseObject } from '../storage/record.ts'
import { everything } from '../storage/selector/selector.ts'
import { draftOf, objectAt, objectsAt, textAt } from '../types/draft.ts'
import type { ApiObject } from '../types/object.ts'
import { systemUser } from './bootstrap.ts'
import { onField } from './bootstrap-signer.ts'
import type { Controller, ControllerFactory, Routes } from './controller.ts'
import { changeOwn, createOwn, deleteOwn } from './own-writes.ts'
import { recurringController } from './recurring.ts'

const manager = 'legacy-serviceaccount-token-cleaner-controller'
const dayMs = 86_400_000
const retryMs = 60_000

/** What becomes of one secret. */
export type Fate = 'keep' | 'mark' | 'delete'

interface Use {
  /** RFC 3339. */
  readonly createdAt: string
  /** Days, `2026-01-31`; '' = not known. */
  readonly lastUsed: string
  readonly invalidSince: string
}

/** @param idleMs how long a token may be without use, and how long a void one is kept */
export function fateOf({ createdAt, lastUsed, invalidSince }: Use, nowMs: number, idleMs: number): Fate {
  const oldest = dayOf(nowMs - idleMs)
  if (!(Date.parse(createdAt) < nowMs - idleMs)) return 'keep'
  if (lastUsed !== '' && (!isDay(lastUsed) || lastUsed >= oldest)) return 'keep'
  if (!isDay(invalidSince)) return 'mark'
  return invalidSince >= oldest ? 'keep' : 'delete'
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

interface Places {
  readonly secrets: ResourceRoute
  readonly accounts: ResourceRoute
  readonly pods: ResourceRoute
  readonly configMaps: ResourceRoute
}

function placesOf(routes: Routes): Places | undefined {
  const [secrets, accounts, pods, configMaps] = ['secrets', 'serviceaccounts', 'pods', 'configmaps'].map(
    (plural) => routes.route('', 'v1', plural),
  )
  return secrets === undefined || accounts === undefined || pods === undefined || configMaps === undefined
    ? undefined
    : { secrets, accounts, pods, configMaps }
}

/** @param idleMs a year, unless the operator says otherwise */
export function createLegacyTokenCleaner(idleMs: number): ControllerFactory {
  return (machinery, routes): Controller => {
    const { clock, log } = machinery
    const places = placesOf(routes)
    return recurringController({
      clock,
      log,
      trouble: 'unused tokens in secrets are not cleaned',
      work: async (isOver) =>
        places === undefined ? undefined : cleanAll(places, machinery, idleMs, isOver),
      againMs: dayMs,
      retryMs,
    })
  }
}

/** Returns what is in the way; undefined = done. */
async function cleanAll(
  places: Places,
  machinery: Machinery,
  idleMs: number,
  isOver: () => boolean,
): Promise<string | undefined> {
  const { clock, names } = machinery
  const since = await trackedSince(places, machinery)
  if (typeof since === 'string') return since
  // The day may have been any moment of it; before that nobody noted uses.
  if (clock.wallMs() < since.ms + dayMs + idleMs) return undefined
  const type = names.expand('{labels}/service-account-token')
  const listed = await places.secrets.storage.list({
    selector: onField('type', type),
    start: { type: 'any' },
  })
  if (!listed.ok) return listed.failure.code
  for (const item of listed.value.items) {
    if (isOver()) return undefined
    const problem = await clean(parseObject(item), places, machinery, idleMs)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** The day from which uses are noted stands in a config map, made by whoever comes first. */
async function trackedSince(
  { configMaps }: Places,
  machinery: Machinery,
): Promise<{ readonly ms: number } | string> {
  const { names, clock } = machinery
  const name = {
    namespace: names.systemNamespace,
    name: names.expand('{prefix}-apiserver-legacy-service-account-token-tracking'),
  }
  const write = { route: configMaps, machinery, user: systemUser, manager }
  const data = { since: timestamp(clock).slice(0, 10) }
  const found = await configMaps.storage.get(name, { type: 'mostRecent' })
  if (!found.ok) return found.failure.code
  const kept = found.value === undefined ? '' : textAt(objectAt(parseObject(found.value), 'data'), 'since')
  if (isDay(kept)) return { ms: Date.parse(kept) }
  const made =
    found.value === undefined
      ? await createOwn(write, { apiVersion: 'v1', kind: 'ConfigMap', metadata: name, data })
      : await changeOwn(write, name, (object) => ({ ...object, data }))
  return made.ok || made.failure.reason === 'AlreadyExists'
    ? { ms: Date.parse(data.since) }
    : made.failure.message
}

async function clean(
  secret: ApiObject,
  places: Places,
  machinery: Machinery,
  idleMs: number,
): Promise<string | undefined> {
  const { names, clock } = machinery
  const label = (name: string): string => secret.metadata.labels?.[names.expand(`{labels}/${name}`)] ?? ''
  const fate = fateOf(
    {
      createdAt: secret.metadata.creationTimestamp ?? '',
      lastUsed: label('legacy-token-last-used'),
      invalidSince: label('legacy-token-invalid-since'),
    },
    clock.wallMs(),
    idleMs,
  )
  if (fate === 'keep' || isTerminating(secret)) return undefined
  const { namespace = '', name = '', uid } = secret.metadata
  if (!(await isAutomatic(secret, places, names.expand('{labels}/service-account.name')))) return undefined
  if (await isMounted(namespace, name, places)) return undefined
  const write = { route: places.secrets, machinery, user: systemUser, manager }
  if (fate === 'delete') return deleteOwn(write, { namespace, name }, uid)
  const today = timestamp(clock).slice(0, 10)
  const key = names.expand('{labels}/legacy-token-invalid-since')
  const changed = await changeOwn(write, { namespace, name }, (object) =>
    object.metadata.uid === uid
      ? { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [key]: today } } }
      : undefined,
  )
  return changed.ok || changed.failure.reason === 'NotFound' ? undefined : changed.failure.message
}

/** Its account lists it: it was put there for the account, not made by somebody who wanted it. */
async function isAutomatic(secret: ApiObject, { accounts }: Places, nameKey: string): Promise<boolean> {
  const { namespace = '', name = '', annotations = {} } = secret.metadata
  const found = await accounts.storage.cached({ namespace, name: annotations[nameKey] ?? '' })
  if (!found.ok || found.value === undefined) return false
  return objectsAt(draftOf(parseObject(found.value)), 'secrets').some((one) => textAt(one, 'name') === name)
}

/** What cannot be read counts as mounted. */
async function isMounted(namespace: string, name: string, { pods }: Places): Promise<boolean> {
  const listed = await pods.storage.list({ namespace, selector: everything, start: { type: 'any' } })
  if (!listed.ok) return true
  return listed.value.items.some((item) => podReferences(parseObject(item)).secrets.has(name))
}
