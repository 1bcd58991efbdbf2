/**
 * apply: a client states the fields that it cares about; the server merges them, remembers whose they are, and makes
 * the object where it is absent. Source: specification, "Server-side apply", "Patch types".
 */

import { fail, ok } from '../../store/contract.ts'
import type { JsonObject } from '../json.ts'
import { cloneJson } from '../patch/mutable-json.ts'
import type { Outcome } from '../pipeline/answer.ts'
import { badRequest, conflict } from '../status/failures.ts'
import type { ApiObject } from '../types/object.ts'
import { readConfiguration } from './apply-configuration.ts'
import { decodeObject } from './body-object.ts'
import { insertObject } from './create.ts'
import type { Facet } from './facet.ts'
import { type Change, guardedWrite } from './guarded-write.ts'
import {
  type ApiRequest,
  type Checked,
  type Machinery,
  objectName,
  type ResourceRoute,
  timestamp,
} from './machinery.ts'
import { objectAnswer } from './respond.ts'
import { undeterminableName } from './update.ts'
import { changeOf } from './update-rules.ts'
import type { WriteOptions } from './write-options.ts'
import { startWrite } from './write-start.ts'

export const applyType = 'application/apply-patch+yaml'

/** How often an apply that found nothing, and then something, starts over. */
const attemptsMax = 5

export async function applyObject(
  route: ResourceRoute,
  facet: Facet,
  request: ApiRequest,
  machinery: Machinery,
): Promise<Outcome> {
  const start = startWrite(route, request, machinery, 'PatchOptions', true)
  if (!start.ok) return start
  const { rendering, options } = start.value
  const { dryRun, fieldValidation } = options
  const body = await readConfiguration(request, fieldValidation)
  if (!body.ok) return body
  const round = new ApplyRound(facet, request, machinery, body.value, options)
  for (let attempt = 1; ; attempt++) {
    const written = await guardedWrite(route, {
      name: objectName(request),
      dryRun,
      startsNewest: machinery.admission.asksOthers(route.type, 'UPDATE'),
      async change(old, base): Promise<Checked<Change>> {
        const applied = await round.apply(old)
        if (!applied.ok) return applied
        const body = applied.value ?? (base.isStale === true ? structuredClone(facet.show(old)) : undefined)
        if (body === undefined) return ok({ type: 'none' })
        const { user, warnings, audit } = request
        const asked = { user, manager: undefined, dryRun, options, warnings, audit }
        return changeOf(route, machinery, { facet, body, old, base, ...asked })
      },
    })
    if (written.ok) return ok(objectAnswer(200, rendering, written.value.json))
    if (written.failure.reason !== 'NotFound' || facet.subresource !== '') return written
    const made = await round.create(route)
    if (made.ok) return ok(objectAnswer(201, rendering, made.value))
    if (made.failure.reason !== 'AlreadyExists' || attempt === attemptsMax) return made
  }
}

class ApplyRound {
  readonly #facet: Facet
  readonly #request: ApiRequest
  readonly #machinery: Machinery
  readonly #configuration: JsonObject
  readonly #options: WriteOptions

  constructor(
    facet: Facet,
    request: ApiRequest,
    machinery: Machinery,
    configuration: JsonObject,
    options: WriteOptions,
  ) {
    this.#facet = facet
    this.#request = request
    this.#machinery = machinery
    this.#configuration = configuration
    this.#options = options
  }

  /** The whole object as the path shows it, with the configuration merged in; undefined = nothing changed. */
  async apply(old: ApiObject | undefined): Promise<Checked<ApiObject | undefined>> {
    const { clock, schema } = this.#machinery
    const { applied } = this.#facet
    const live = old === undefined ? undefined : (applied?.live ?? this.#facet.show)(old)
    const configuration = applied?.configuration(this.#configuration) ?? ok(this.#configuration)
    if (!configuration.ok) return configuration
    const author = {
      manager: this.#options.fieldManager,
      now: timestamp(clock),
      force: this.#options.force === true,
    }
    const merged = await this.#facet.ownership.apply(live, configuration.value, author)
    if (!merged.ok || merged.value === undefined) return merged
    // What the merge leaves may share parts with the configuration, which another round needs as it came.
    const body = applied === undefined || live === undefined ? merged.value : applied.body(merged.value, live)
    return decodeObject(cloneJson(body), schema, this.#facet.expected, 'Ignore', [])
  }

  async create(route: ResourceRoute): Promise<Checked<Buffer>> {
    const object = await this.apply(undefined)
    if (!object.ok) return object
    if (object.value === undefined) throw new TypeError('an apply to nothing changed nothing')
    const { info, user } = this.#request
    const { name = '', uid = '' } = object.value.metadata
    if (uid !== '') {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
      return fail(conflict(route.ref, info.name, why))
    }
    if (name === '') return fail(badRequest(undeterminableName(info.name)))
    const { namespace } = info
    return insertObject(route, this.#machinery, {
      object: object.value,
      namespace,
      user,
      manager: undefined,
      dryRun: this.#options.dryRun,
      options: this.#options,
      warnings: this.#request.warnings,
      audit: this.#request.audit,
    })
  }
}
