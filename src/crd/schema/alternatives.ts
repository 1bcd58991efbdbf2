/**
 * `anyOf`, `oneOf`, `allOf` and `not`. Alternatives are tried without words; of those that all fail the nearest one, which
 * met most of what it asks, is asked again for what is wrong.
 */

import type { JsonValue } from '../../json.ts'
import { failsSchemas } from './problems.ts'
import { type Check, type Run, report } from './run.ts'
import type { NestedValidation, ValueValidation } from './structural.ts'

type AlternativesCheck = (value: NonNullable<JsonValue>, run: Run, depth: number) => number

/** Undefined = there are none. */
export function alternativesCheck(
  { anyOf, oneOf, allOf, not }: ValueValidation,
  checkOf: (schema: NestedValidation) => Check,
): AlternativesCheck | undefined {
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined
  let made: ReturnType<typeof make> | undefined
  const make = () => ({
    any: anyOf.map(checkOf),
    one: oneOf.map(checkOf),
    all: allOf.map(checkOf),
    not: not === undefined ? undefined : checkOf(not),
  })
  return (value, run, depth) => {
    made ??= make()
    let count = 0
    if (made.any.length > 0) count += checkAny(made.any, value, run, depth)
    if (made.one.length > 0) count += checkOne(made.one, value, run, depth)
    if (made.all.length > 0) count += checkAll(made.all, value, run, depth)
    if (made.not !== undefined && attempt(made.not, value, run, depth).isValid)
      report(run, depth, (path) => failsSchemas(path, 'must not validate the schema (not)'))
    return count
  }
}

interface Attempt {
  readonly isValid: boolean
  readonly count: number
}

/** Tries a schema and forgets what is wrong. */
function attempt(check: Check, value: JsonValue, run: Run, depth: number): Attempt {
  const { quiet } = run
  const before = run.problems.length
  run.quiet = true
  const count = check(value, undefined, run, depth)
  run.quiet = quiet
  const isValid = run.problems.length === before
  if (!isValid) run.problems.length = before
  return { isValid, count }
}

function checkAny(schemas: readonly Check[], value: JsonValue, run: Run, depth: number): number {
  let nearest: Check | undefined
  let nearestCount = 0
  for (const schema of schemas) {
    const { isValid, count } = attempt(schema, value, run, depth)
    if (isValid) return count
    if (nearest === undefined || count > nearestCount) {
      nearest = schema
      nearestCount = count
    }
  }
  report(run, depth, (path) => failsSchemas(path, 'must validate at least one schema (anyOf)'))
  if (!run.quiet) nearest?.(value, undefined, run, depth)
  return nearestCount
}

function checkOne(schemas: readonly Check[], value: JsonValue, run: Run, depth: number): number {
  let nearest: Check | undefined
  let nearestCount = 0
  let valid = 0
  let validCount = 0
  for (const schema of schemas) {
    const { isValid, count } = attempt(schema, value, run, depth)
    if (isValid) {
      if (valid === 0) validCount = count
      valid++
    } else if (valid === 0 && (nearest === undefined || count > nearestCount)) {
      nearest = schema
      nearestCount = count
    }
  }
  if (valid === 1) return validCount
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
  report(run, depth, (path) => failsSchemas(path, `must validate one and only one schema (oneOf). ${found}`))
  if (valid > 0) return 0
  if (!run.quiet) nearest?.(value, undefined, run, depth)
  return nearestCount
}

function checkAll(schemas: readonly Check[], value: JsonValue, run: Run, depth: number): number {
  let count = 0
  let valid = 0
  for (const schema of schemas) {
    const before = run.problems.length
    count += schema(value, undefined, run, depth)
    if (run.problems.length === before) valid++
  }
  if (valid < schemas.length) {
    const none = valid === 0 ? '. None validated' : ''
    report(run, depth, (path) => failsSchemas(path, `must validate all the schemas (allOf)${none}`))
  }
  return count
}
