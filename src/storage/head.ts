/**
 * What selectors need of an object, as text ahead of its JSON and as it is asked for: its labels, and the values of its
 * selectable fields. Of a resource that somebody selects from, every object has one: so it is one flat list, which takes
 * a fifth of the memory of two maps.
 */

import type { Labels } from './contract.ts'

/** Of an object with neither. */
export const noHead = '[]'

/**
 * `[[["app","web"]],[["status.phase","Running"]]]`; fields without a value are left out. Behind both stands the form that
 * the object was written in, where its type has several.
 */
export function headText(
  labels: Readonly<Record<string, string>> | undefined,
  fields: Readonly<Record<string, string>> | undefined,
  form?: string,
): string {
  const labelPairs = pairsText(labels)
  const fieldPairs = pairsText(fields, '')
  if (form !== undefined) return `[[${labelPairs}],[${fieldPairs}],"${form}"]`
  return labelPairs === '' && fieldPairs === '' ? noHead : `[[${labelPairs}],[${fieldPairs}]]`
}

/** `["a","1"],["b","2"]`, without those whose value is `dropped`. */
function pairsText(map: Readonly<Record<string, string>> | undefined, dropped?: string): string {
  let text = ''
  for (const name in map) {
    const value = map[name]
    if (value === undefined || value === dropped) continue
    text += `${text === '' ? '' : ','}[${quoted(name)},${quoted(value)}]`
  }
  return text
}

const plainText = /^[-\w./]*$/

function quoted(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** As {@link Labels} it has the labels alone. */
export class Head implements Labels {
  /** Name, value, name, value: of labels, then of fields. */
  readonly #flat: readonly string[]
  /** Where the labels end. */
  readonly #labelsEnd: number

  constructor(flat: readonly string[], labelsEnd: number) {
    this.#flat = flat
    this.#labelsEnd = labelsEnd
  }

  get(name: string): string | undefined {
    return this.#find(name, 0, this.#labelsEnd)
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  *[Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (let at = 0; at < this.#labelsEnd; at += 2) {
      yield [this.#flat[at] ?? '', this.#flat[at + 1] ?? '']
    }
  }

  field(name: string): string | undefined {
    return this.#find(name, this.#labelsEnd, this.#flat.length)
  }

  #find(name: string, from: number, to: number): string | undefined {
    for (let at = from; at < to; at += 2) if (this.#flat[at] === name) return this.#flat[at + 1]
    return undefined
  }
}

export const emptyHead = new Head([], 0)

export function parseHead(text: string): Head {
  const value: unknown = JSON.parse(text)
  if (!Array.isArray(value)) throw new TypeError('head of a record is not a list')
  const flat: string[] = []
  pushPairs(flat, value[0])
  const labelsEnd = flat.length
  pushPairs(flat, value[1])
  // The copy has no room left to grow.
  return flat.length === 0 ? emptyHead : new Head(flat.slice(), labelsEnd)
}

function pushPairs(flat: string[], pairs: unknown): void {
  if (!Array.isArray(pairs)) return
  for (const pair of pairs) {
    if (Array.isArray(pair) && typeof pair[0] === 'string' && typeof pair[1] === 'string') {
      flat.push(shared(pair[0]), pair[1])
    }
  }
}

/** Names of labels that are kept once for all objects: those seen first. */
const sharedMax = 1024
const sharedNames = new Map<string, string>()

function shared(name: string): string {
  const known = sharedNames.get(name)
  if (known !== undefined) return known
  if (sharedNames.size < sharedMax) sharedNames.set(name, name)
  return name
}
