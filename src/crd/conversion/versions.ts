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
        ? convert(stored, apiVersion)
        : fail(`request to convert CR from an invalid group/version: ${gone.apiVersion}`)
    },
    shown: (objects, wanted) =>
      schemas.has(wanted)
        ? convert(objects, wanted)
        : fail(`request to convert CR to an invalid group/version: ${wanted}`),
    write: (object) => convert([object], storedApiVersion),
  }

  /** Those of another version; the others stay as they are. */
  function convert(objects: readonly ApiObject[], wanted: string): Converted | Promise<Converted> {
    const others = objects.filter((object) => object.apiVersion !== wanted)
    if (others.length === 0) return ok(objects)
    const converted = converter.convert(others, wanted)
    return converted instanceof Promise
      ? converted.then((made) => merged(objects, made, wanted))
      : merged(objects, converted, wanted)
  }

  function merged(objects: readonly ApiObject[], converted: Converted, wanted: string): Converted {
    if (!converted.ok) return converted
    const schema = schemas.get(wanted)
    const made = converted.value.values()
    return ok(
      objects.map((object) => {
        if (object.apiVersion === wanted) return object
        const one: ApiObject | undefined = made.next().value
        if (one === undefined) throw new TypeError('a converter gave fewer objects than it was given')
        // It may share parts with what must not change.
        const own: ApiObject = structuredClone(one)
        schema?.prune(own)
        return own
      }),
    )
  }
}
