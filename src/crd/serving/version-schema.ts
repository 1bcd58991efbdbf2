/** The schema of one version at work: everything is made when it is first needed, most versions are never used. */

import type { MessageOf } from '../../codec/protobuf/rendering.ts'
import type { JsonObject } from '../../json.ts'
import { createOnDemand } from '../../on-demand.ts'
import type { MessageType } from '../../schema/descriptor.ts'
import type { Cause } from '../../status/status.ts'
import type { TableColumns } from '../../types/columns/table.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Kind } from '../../types/resource.ts'
import { createLazyRules } from '../rules/lazy.ts'
import { applyDefaults } from '../schema/defaults.ts'
import { normalizeCustom } from '../schema/normalize.ts'
import { dropNulls } from '../schema/nulls.ts'
import { prune } from '../schema/prune.ts'
import { readStructural } from '../schema/read.ts'
import { printedColumns } from '../shape/columns.ts'
import { customMessage } from '../shape/message.ts'
import { scaleCauses } from '../shape/scale.ts'
import type { DefinitionVersion } from './definition.ts'

/** Most servers serve no custom resources. */
const validation = createOnDemand(() => import('../schema/validate.ts'))

export interface VersionSchema {
  readonly message: MessageType
  readonly scaleMessage: MessageType
  readonly columns: TableColumns
  /** Drops what the schema does not know, and null where null is no value. Changes the object. */
  prune(object: ApiObject): void
  /** Changes the object. */
  applyDefaults(object: ApiObject): void
  /** As it is stored. A new object. */
  normalize(object: ApiObject): ApiObject
  /** To be awaited before validation; undefined = there is nothing to wait for. */
  load(): Promise<void> | undefined
  /** All that is wrong with an object, or with a change of `old`. */
  validate(object: ApiObject, old: ApiObject | undefined): readonly Cause[]
  /** The same of a change of the status alone. */
  validateStatus(object: ApiObject, old: ApiObject): readonly Cause[]
  /** What may stay as it was though it breaks a rule. */
  warnings(object: ApiObject, old: ApiObject | undefined): readonly string[]
}

export function createVersionSchema(
  { schema, scale, source }: DefinitionVersion,
  kind: Kind,
  messageOf: MessageOf,
): VersionSchema {
  const structural = once(() => readStructural(schema()))
  const message = once(() => customMessage(structural(), kind, messageOf('meta/v1.ObjectMeta')))
  const columns = once(() => printedColumns(source))
  const ofScale = once(() => (scale === undefined ? () => [] : scaleCauses(scale, false)))
  const ofScaleStatus = once(() => (scale === undefined ? () => [] : scaleCauses(scale, true)))
  const rules = createLazyRules(structural)
  const load = async (): Promise<void> => {
    await validation.load()
    await rules.load()
  }
  return {
    get message() {
      return message()
    },
    get scaleMessage() {
      return messageOf('autoscaling/v1.Scale')
    },
    get columns() {
      return columns()
    },
    prune: (object) => {
      prune(structural(), jsonOf(object))
      dropNulls(structural(), jsonOf(object))
    },
    applyDefaults: (object) => applyDefaults(structural(), jsonOf(object)),
    // Members are only put into another order: what was an API object is one.
    normalize: (object) => normalizeCustom(message(), jsonOf(object)) as ApiObject,
    load: () => (validation.isLoaded ? rules.load() : load()),
    validate: (object, given) => {
      const value = jsonOf(object)
      const old = given === undefined ? undefined : jsonOf(given)
      const found = validation.loaded.validateValue(structural(), value, old, ofScale()(object))
      return rules.validate(value, found, old === undefined ? undefined : { old, ratchets: true })
    },
    validateStatus: (object, given) => {
      const value = jsonOf(object)
      const old = jsonOf(given)
      const found = validation.loaded.validateStatus(structural(), value, old, ofScaleStatus()(object))
      return rules.validate(value, found, { old, ratchets: false })
    },
    warnings: (object, old) => rules.warnings(jsonOf(object), old === undefined ? undefined : jsonOf(old)),
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** An API object is plain JSON. */
function jsonOf(object: ApiObject): JsonObject {
  return object as JsonObject
}
