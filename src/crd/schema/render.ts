/** Values in messages as clients of this API know them: `"text"`, `1e+06`, `map[string]interface {}{"a":1}`. */

import type { JsonValue } from '../../json.ts'
import { sourceText } from '../../status/plain-values.ts'

/** A value as the one that is wrong. Nothing is `"null"`. */
export function renderValue(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '"null"' : sourceText(value)
}
