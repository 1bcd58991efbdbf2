import { absent, type Pattern } from './story.ts'

/** Everything in which `found` differs from the pattern, as `path: found …, expected …`. */
export function differences(found: unknown, pattern: Pattern, path = '$'): readonly string[] {
  if (pattern === absent)
    return found === undefined ? [] : [`${path}: found ${show(found)}, expected nothing`]
  if (pattern instanceof RegExp) {
    return typeof found === 'string' && pattern.test(found)
      ? []
      : [`${path}: found ${show(found)}, expected text like ${pattern}`]
  }
  if (Array.isArray(pattern)) return arrayDifferences(found, pattern, path)
  if (typeof pattern === 'object' && pattern !== null) return memberDifferences(found, pattern, path)
  return Object.is(found, pattern) ? [] : [`${path}: found ${show(found)}, expected ${show(pattern)}`]
}

function arrayDifferences(found: unknown, pattern: readonly Pattern[], path: string): readonly string[] {
  if (!Array.isArray(found)) return [`${path}: found ${show(found)}, expected an array`]
  if (found.length !== pattern.length)
    return [`${path}: found ${found.length} elements, expected ${pattern.length}: ${show(found)}`]
  return pattern.flatMap((one, index) => differences(found[index], one, `${path}[${index}]`))
}

function memberDifferences(found: unknown, pattern: object, path: string): readonly string[] {
  if (typeof found !== 'object' || found === null)
    return [`${path}: found ${show(found)}, expected an object`]
  const members = new Map<string, unknown>(Object.entries(found))
  return Object.entries(pattern).flatMap(([name, one]) =>
    differences(members.get(name), one, `${path}.${name}`),
  )
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300)
}
