/** How the objects of a definition become those of another of its versions. */

import { ok } from '../../../store/contract.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Converted } from '../../types/resource.ts'

export interface Converter {
  /** False = every answer is there at once. */
  readonly asksOthers: boolean
  /**
   * @param objects none of them of the version `apiVersion` (`<group>/<version>`) already; not changed
   * @returns new objects in the same order, which may share parts with what was given
   */
  convert(objects: readonly ApiObject[], apiVersion: string): Converted | Promise<Converted>
}

/** Strategy `None`: all versions have the same fields. */
export const sameFields: Converter = {
  asksOthers: false,
  convert: (objects, apiVersion) => ok(objects.map((object) => ({ ...object, apiVersion }))),
}
