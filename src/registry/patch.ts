/**
 * patch: applies a patch document to the object as its path shows it, and stores the result. On a busy object the
 * patch is applied again to what is there then, unless it names the version it is for.
 *
 * Source: specification, "Patch types", "Update rules" 2.
 */

import { fail, ok } from '../../store/contract.ts'
import { mediaTypeOf, readRequestBody } from '../codec/body.ts'
import { cloneJson, type MutableJson } from '../patch/mutable-json.ts'
import type { Outcome } from '../pipeline/answer.ts'
import { invalidValue } from '../status/causes.ts'
import { invalid, modified, unsupportedMediaType } from '../status/failures.ts'
import type { ApiFailure } from '../status/status.ts'
import type { CachedObject } from '../storage/contract.ts'
import type { ApiObject } from '../types/object.ts'
import { applyObject, applyType } from './apply.ts'
import { decodeObject } from './body-object.ts'
import type { Facet } from './facet.ts'
import { type Change, guardedWrite } from './guarded-write.ts'
import { type ApiRequest, type Checked, type Machinery, objectName, type ResourceRoute } from './machinery.ts'
import { patchReader, patchTypes, type ReadPatch, strategicType } from './patch-types.ts'
import { objectAnswer } from './respond.ts'
import { identityProblem } from './update.ts'
import { changeOf } from './update-rules.ts'
import { managerName, type WriteOptions } from './write-options.ts'
import { startWrite } from './write-start.ts'

export async function patchObject(
  route: ResourceRoute,
  facet: Facet,
  request: ApiRequest,
  machinery: Machinery,
): Promise<Outcome> {
  if (mediaTypeOf(request.exchange) === applyType) return applyObject(route, facet, request, machinery)
  const start = startWrite(route, request, machinery, 'PatchOptions')
  if (!start.ok) return start
  const { rendering, options } = start.value
  const patch = await readPatch(request, facet, route)
  if (!patch.ok) return patch
  const rounds = new PatchRounds(route, facet, request, machinery, patch.value, options)
  const { dryRun } = options
  const written = await guardedWrite(route, {
    name: objectName(request),
    dryRun,
    startsNewest: machinery.admission.asksOthers(route.type, 'UPDATE'),
    change: (old, base) => rounds.change(old, base),
  })
  if (!written.ok) return written
  request.warnings.push(...rounds.warnings)
  return ok(objectAnswer(200, rendering, written.value.json))
}

async function readPatch(
  { exchange, audit }: ApiRequest,
  facet: Facet,
  { type: { custom } }: ResourceRoute,
): Promise<Checked<ReadPatch>> {
  const type = mediaTypeOf(exchange)
  // What a strategic merge patch is merged by no definition says.
  const types = custom === undefined ? patchTypes : patchTypes.filter((one) => one !== strategicType)
  const read = types.includes(type) ? patchReader(type) : undefined
  if (read === undefined) return fail(unsupportedMediaType([...types, applyType]))
  const body = await readRequestBody(exchange)
  if (!body.ok) return body
  audit?.requestBody(body.value)
  return read(body.value, facet)
}

class PatchRounds {
  /** Of the last round. */
  warnings: string[] = []
  readonly #route: ResourceRoute
  readonly #facet: Facet
  readonly #request: ApiRequest
  readonly #machinery: Machinery
  readonly #patch: ReadPatch
  /** Fields that the patch names more than once. */
  readonly #duplicateFields: readonly string[]
  readonly #options: WriteOptions

  constructor(
    route: ResourceRoute,
    facet: Facet,
    request: ApiRequest,
    machinery: Machinery,
    patch: ReadPatch,
    options: WriteOptions,
  ) {
    this.#route = route
    this.#facet = facet
    this.#request = request
    this.#machinery = machinery
    this.#patch = patch
    this.#options = options
    this.#duplicateFields = options.fieldValidation === 'Ignore' ? [] : patch.duplicateFields()
  }

  async change(old: ApiObject, base: CachedObject): Promise<Checked<Change>> {
    const stale = this.#matchProblem(base)
    if (stale !== undefined) return fail(stale)
    const patched = this.#patch.apply(cloneJson(this.#facet.show(old)))
    if (!patched.ok) return patched
    const body = this.#decode(patched.value)
    if (!body.ok) return body
    const { user, audit } = this.#request
    const { dryRun } = this.#options
    const manager = managerName(this.#request, this.#options)
    const { warnings } = this
    return changeOf(this.#route, this.#machinery, {
      facet: this.#facet,
      body: body.value,
      old,
      base,
      user,
      manager,
      dryRun,
      options: this.#options,
      warnings,
      audit,
    })
  }

  /** `If-Match` makes any patch conditional. RFC 9110, section 13.1.1. */
  #matchProblem(base: CachedObject): ApiFailure | undefined {
    const tag = this.#request.exchange.header('if-match')?.replaceAll('"', '').trim()
    if (tag === undefined || tag === '' || tag === '*' || tag === String(base.revision)) return undefined
    return modified(this.#route.ref, base.name)
  }

  #decode(value: MutableJson): Checked<ApiObject> {
    const warnings: string[] = []
    const refuse = (message: string): ApiFailure =>
      invalid({ group: '', kind: '' }, '', [invalidValue('patch', this.#patch.shown(value), message)])
    const { fieldValidation } = this.#options
    const body = decodeObject(
      value,
      this.#machinery.schema,
      this.#facet.expected,
      fieldValidation,
      warnings,
      { text: () => this.#patch.shown(value), refuse },
      this.#duplicateFields,
    )
    if (!body.ok) return body
    const mismatch = identityProblem(body.value, this.#request)
    if (mismatch !== undefined) return fail(mismatch)
    this.warnings = warnings
    return body
  }
}
