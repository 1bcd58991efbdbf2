/**
 * The versions of a definition, converted into one another:
 *
 *     read    stored, of any version (pruned, with its defaults) ─convert─▶ ─prune by the schema of the request─▶
 *     write   of the request ─convert─▶ ─prune by the schema of the storage version─▶ stored
 *
 * Defaults are those of the version that an object is stored in: a reader of another version does not see its own.
 *
 * Source: apiextensions/v1 CustomResourceConversion; Kubernetes documentation, "Versions in CustomResourceDefinitions".
 */

import { fail, ok } from '../../../store/contract.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Converted, VersionConversion } from '../../types/resource.ts'
import type { Converter } from './converter.ts'

/** What is asked of the schema of a version. */
interface VersionSchema {
  /** Drops fields that it does not name. Changes the object. */
  prune(object: ApiObject): void
  /** As it is stored and shown: members by name. A new object. */
  normalize(object: ApiObject): ApiObject
}

interface VersionsOptions {
  /** By `<group>/<version>`: all versions of the definition, those that are no longer served too. */
  readonly schemas: ReadonlyMap<string, VersionSchema>
  /** `<group>/<version>` */
  readonly storedApiVersion: string
  readonly converter: Converter
}

/** For the version `apiVersion` of a definition. */
export function createVersionConversion(
  apiVersion: string,
  { schemas, storedApiVersion, converter }: VersionsOptions,
): VersionConversion {
  return {
    apiVersion,
    storedApiVersion,
    asksOthers: converter.asksOthers,
    read(stored) {
      const gone = stored.find((object) => !schemas.has(object.apiVersion))
      return gone === undefined
        ? convert(stored, apiVersion, true)
        : fail(`request to convert CR from an invalid group/version: ${gone.apiVersion}`)
    },
    shown: (objects, wanted) =>
      schemas.has(wanted)
        ? convert(objects, wanted, false)
        : fail(`request to convert CR to an invalid group/version: ${wanted}`),
    write: (object) => convert([object], storedApiVersion, false),
  }

  /** Those of another version; the others stay as they are. `isOwn`: they may change. */
  function convert(
    objects: readonly ApiObject[],
    wanted: string,
    isOwn: boolean,
  ): Converted | Promise<Converted> {
    const others = objects.filter((object) => object.apiVersion !== wanted)
    if (others.length === 0) return ok(objects)
    const converted = converter.convert(others, wanted)
    return converted instanceof Promise
      ? converted.then((made) => merged(objects, made, wanted, isOwn))
      : merged(objects, converted, wanted, isOwn)
  }

  function merged(
    objects: readonly ApiObject[],
    converted: Converted,
    wanted: string,
    isOwn: boolean,
  ): Converted {
    if (!converted.ok) return converted
    const schema = schemas.get(wanted)
    const made = converted.value.values()
    return ok(
      objects.map((object) => {
        if (object.apiVersion === wanted) return object
        const one: ApiObject | undefined = made.next().value
        if (one === undefined) throw new TypeError('a converter gave fewer objects than it was given')
        // It may share parts with the object that it is made from.
        const own = isOwn ? one : structuredClone(one)
        schema?.prune(own)
        // What others answer is in an order of their own.
        return converter.asksOthers && schema !== undefined ? schema.normalize(own) : own
      }),
    )
  }
}
