/**
 * Which of the names that a definition wants it gets: those that no other definition of its group has. What it has once
 * it keeps, until it wants another. Pure.
 *
 * Source: names and conditions of CustomResourceDefinition of the Kubernetes API.
 */

import type { Condition } from '../../crd/definition/set-condition.ts'
import { sameJson } from '../../same-json.ts'
import { quote } from '../../status/quote.ts'

/** Absent = none. */
export interface Names {
  readonly plural?: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind?: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

interface Naming {
  readonly names: Names
  readonly condition: Condition
}

interface Conflict {
  readonly reason: string
  readonly message: string
}

/** @param others accepted names of all definitions of the group, this one aside */
export function nameDefinition(wanted: Names, accepted: Names, others: readonly Names[]): Naming {
  const resources = new Set(
    [...others, accepted].flatMap(({ plural, singular, shortNames = [] }) => [
      plural,
      singular,
      ...shortNames,
    ]),
  )
  const kinds = new Set([...others, accepted].flatMap(({ kind, listKind }) => [kind, listKind]))
  let conflict: Conflict | undefined

  /** The last conflict is the one that is told. */
  function choose<T>(reason: string, name: T, now: T, problem: string | undefined): T {
    if (problem === undefined) return name
    conflict = { reason, message: problem }
    return now
  }

  const plural = choose(
    'PluralConflict',
    wanted.plural,
    accepted.plural,
    taken(wanted.plural, accepted.plural, resources),
  )
  const singular = choose(
    'SingularConflict',
    wanted.singular,
    accepted.singular,
    taken(wanted.singular, accepted.singular, resources),
  )
  const shortNames = choose(
    'ShortNamesConflict',
    wanted.shortNames,
    accepted.shortNames,
    shortNameProblem(wanted, accepted, resources),
  )
  const kind = choose('KindConflict', wanted.kind, accepted.kind, taken(wanted.kind, accepted.kind, kinds))
  const listKind = choose(
    'ListKindConflict',
    wanted.listKind,
    accepted.listKind,
    taken(wanted.listKind, accepted.listKind, kinds),
  )
  return {
    names: present({ plural, singular, shortNames, kind, listKind, categories: wanted.categories }),
    condition:
      conflict === undefined
        ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
        : { type: 'NamesAccepted', status: 'False', ...conflict },
  }
}

function taken(
  wanted: string | undefined,
  accepted: string | undefined,
  used: ReadonlySet<string | undefined>,
): string | undefined {
  return wanted === accepted || wanted === undefined || !used.has(wanted)
    ? undefined
    : `${quote(wanted)} is already in use`
}

function shortNameProblem(
  { shortNames = [] }: Names,
  accepted: Names,
  used: ReadonlySet<string | undefined>,
): string | undefined {
  if (sameJson(shortNames, accepted.shortNames ?? [])) return undefined
  const own = new Set([...(accepted.shortNames ?? []), accepted.plural, accepted.singular])
  const problems = shortNames.flatMap((name) => {
    const problem = own.has(name) ? undefined : taken(name, undefined, used)
    return problem === undefined ? [] : [problem]
  })
  const texts = [...new Set(problems)]
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts[0]
}

/** Without what is undefined. */
function present(names: { readonly [Name in keyof Names]-?: Names[Name] | undefined }): Names {
  return Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined))
}
