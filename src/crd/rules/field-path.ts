/** Where a rule says that its refusal points: `.spec.replicas`, `.labels['a.b/c']`, from the place of the rule down. */

import type { Structural } from '../schema/structural.ts'

/**
 * The path as messages write it (`spec.replicas`, `labels[a.b/c]`); undefined = it leads nowhere in the schema, or is none.
 * Elements of lists cannot be named.
 */
export function fieldPathOf(text: string, structural: Structural): string | undefined {
  let path = ''
  let at: Structural | undefined = structural
  let rest = text
  while (rest !== '') {
    const step: Step | undefined = nextStep(rest)
    if (step === undefined || at === undefined) return undefined
    rest = rest.slice(step.length)
    if (at.properties.size > 0) {
      path += path === '' ? step.name : `.${step.name}`
      at = at.properties.get(step.name)
      if (at === undefined) return undefined
    } else {
      if (at.additionalProperties === undefined) return undefined
      path += `[${step.name}]`
      at = at.additionalProperties === true ? undefined : at.additionalProperties
    }
  }
  return path
}

interface Step {
  readonly name: string
  /** Of its text. */
  readonly length: number
}

function nextStep(text: string): Step | undefined {
  const plain = /^\.([^.[\]]+)/.exec(text)
  if (plain?.[1] !== undefined) return { name: plain[1], length: plain[0].length }
  const quoted = /^\['((?:[^'\\]|\\.)*)'\]/s.exec(text)
  if (quoted?.[1] === undefined) return undefined
  const name = unescaped(quoted[1])
  return name === undefined ? undefined : { name, length: quoted[0].length }
}

const escaped: ReadonlyMap<string, string> = new Map([
  ['a', '\u0007'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ["'", "'"],
  ['\\', '\\'],
])

/** Undefined = there is no such escape. */
function unescaped(text: string): string | undefined {
  const isKnown = [...text.matchAll(/\\(.)/gs)].every(([, letter = '']) => escaped.has(letter))
  return isKnown ? text.replace(/\\(.)/gs, (_, letter: string) => escaped.get(letter) ?? '') : undefined
}
