/** Which names definitions get: those that nobody else in their group has. */

import t from 'tap'
import { type Names, nameDefinition } from '../../../src/controllers/definitions/naming.ts'

const foos: Names = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' }
const bars: Names = { plural: 'bars', singular: 'bar', kind: 'Bar', listKind: 'BarList', shortNames: ['b'] }
const none: Names = {}

interface Row {
  readonly name: string
  readonly wanted: Names
  readonly accepted?: Names
  readonly others?: readonly Names[]
  /** Undefined = there are no conflicts. */
  readonly conflict?: readonly [reason: string, message: string]
  /** What is accepted in the end; absent = all that is wanted. */
  readonly names?: Names
}

const rows: readonly Row[] = [
  { name: 'the first of its group gets all', wanted: foos },
  { name: 'others have other names', wanted: foos, others: [bars] },
  { name: 'what it has it keeps', wanted: foos, accepted: foos, others: [bars] },
  {
    name: 'a plural that is another singular',
    wanted: { ...foos, plural: 'bar' },
    others: [bars],
    conflict: ['PluralConflict', '"bar" is already in use'],
    names: { singular: 'foo', kind: 'Foo', listKind: 'FooList' },
  },
  {
    name: 'a singular that is another short name',
    wanted: { ...foos, singular: 'b' },
    others: [bars],
    conflict: ['SingularConflict', '"b" is already in use'],
    names: { plural: 'foos', kind: 'Foo', listKind: 'FooList' },
  },
  {
    name: 'a short name that is another plural',
    wanted: { ...foos, shortNames: ['f', 'bars'] },
    others: [bars],
    conflict: ['ShortNamesConflict', '"bars" is already in use'],
    names: foos,
  },
  {
    name: 'two short names that others have',
    wanted: { ...foos, shortNames: ['b', 'bar'] },
    others: [bars],
    conflict: ['ShortNamesConflict', '["b" is already in use, "bar" is already in use]'],
    names: foos,
  },
  {
    name: 'a kind that is another kind of lists',
    wanted: { ...foos, kind: 'BarList' },
    others: [bars],
    conflict: ['KindConflict', '"BarList" is already in use'],
    names: { plural: 'foos', singular: 'foo', listKind: 'FooList' },
  },
  {
    name: 'a kind of lists that is another kind',
    wanted: { ...foos, listKind: 'Bar' },
    others: [bars],
    conflict: ['ListKindConflict', '"Bar" is already in use'],
    names: { plural: 'foos', singular: 'foo', kind: 'Foo' },
  },
  {
    name: 'of several conflicts the last is told, and what was accepted stays',
    wanted: { ...bars, categories: ['all'] },
    accepted: foos,
    others: [bars],
    conflict: ['ListKindConflict', '"BarList" is already in use'],
    names: { ...foos, categories: ['all'] },
  },
  {
    name: 'a short name that is its own already stays its own',
    wanted: { ...foos, shortNames: ['f', 'g'] },
    accepted: { ...foos, shortNames: ['f'] },
    others: [bars],
  },
  {
    name: 'short names it wants no more are free',
    wanted: foos,
    accepted: { ...foos, shortNames: ['f'] },
  },
  { name: 'its own singular as a short name', wanted: { ...foos, shortNames: ['foo'] }, accepted: foos },
  { name: 'names of different uses do not meet', wanted: { ...foos, kind: 'bars' }, others: [bars] },
]

for (const { name, wanted, accepted = none, others = [], conflict, names = wanted } of rows) {
  t.test(name, async (t) => {
    const given = nameDefinition(wanted, accepted, others)
    t.same(given.names, names)
    const [reason, message] = conflict ?? ['NoConflicts', 'no conflicts found']
    const status = conflict === undefined ? 'True' : 'False'
    t.same(given.condition, { type: 'NamesAccepted', status, reason, message })
  })
}
