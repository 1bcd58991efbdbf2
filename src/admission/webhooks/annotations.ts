/** What is written down of a webhook: whether it has changed the object, and how; what it says; that it did not answer. */

import type { JsonObject, JsonValue } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { Hook } from './hook.ts'

/** Where a webhook stands among those of a request. */
export interface HookPlace {
  /** Mutating webhooks may be asked twice. */
  readonly round: 0 | 1
  /** From 0. */
  readonly index: number
}

type Audited = Pick<AdmissionRequest, 'audit'>

function keyOf(names: Names, prefix: string, { round, index }: HookPlace): string {
  return names.expand(`${prefix}.webhook.admission.{groups}/round_${round}_index_${index}`)
}

export function annotateMutation(
  { audit }: Audited,
  { configuration, name: webhook, kind }: Hook,
  place: HookPlace,
  mutated: boolean,
  names: Names,
): void {
  if (audit === undefined || kind !== 'mutating') return
  audit.annotate(keyOf(names, 'mutation', place), JSON.stringify({ configuration, webhook, mutated }))
}

export function annotatePatch(
  { audit }: Audited,
  { configuration, name: webhook }: Hook,
  place: HookPlace,
  patch: JsonValue,
  names: Names,
): void {
  if (audit === undefined) return
  const value = JSON.stringify({ configuration, webhook, patch, patchType: 'JSONPatch' })
  audit.annotate(keyOf(names, 'patch', place), value, 'Request')
}

/** Nobody was refused because it gave no answer. */
export function annotateFailedOpen(
  { audit }: Audited,
  { name, kind }: Hook,
  place: HookPlace,
  names: Names,
): void {
  if (audit === undefined) return
  const prefix = kind === 'mutating' ? 'failed-open.mutation' : 'failed-open.validating'
  audit.annotate(keyOf(names, prefix, place), name)
}

/** @param said as the webhook gives them: keys without its name */
export function annotateSaid({ audit }: Audited, { name }: Hook, said: JsonObject): void {
  if (audit === undefined) return
  for (const [key, value] of Object.entries(said))
    if (typeof value === 'string') audit.annotate(`${name}/${key}`, value)
}
