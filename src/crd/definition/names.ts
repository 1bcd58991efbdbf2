/** What a resource may be called. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { Cause } from '../../status/status.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Causes } from '../../types/validation/checks.ts'
import { hostLabelProblems, subdomainProblems } from '../../types/validation/names.ts'
import { objectIn, specOf, textIn, textsIn } from '../../types/validation/read.ts'

/** The name of the definition says which resource of which group it defines. */
export function ownNameCauses(object: ApiObject): readonly Cause[] {
  const spec = specOf(object)
  const wanted = `${textIn(objectIn(spec, 'names'), 'plural')}.${textIn(spec, 'group')}`
  const { name = '', generateName = '' } = object.metadata
  return Object.entries({ generateName, name })
    .filter(([, value]) => value !== '' && value !== wanted)
    .map(([field, value]) =>
      invalidValue(`metadata.${field}`, value, 'must be spec.names.plural+"."+spec.group'),
    )
}

export function checkGroup(causes: Causes, spec: JsonObject): void {
  const group = textIn(spec, 'group')
  const problems = subdomainProblems(group)
  if (group === '') causes.push(required('spec.group'))
  else if (problems.length > 0) causes.push(invalidValue('spec.group', group, problems.join(',')))
  else if (!group.includes('.'))
    causes.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'))
}

/** What a resource must be called; the names that were accepted may still be empty. */
export function checkNamesGiven(causes: Causes, path: string, names: JsonObject | undefined): void {
  for (const name of ['plural', 'singular', 'kind', 'listKind'])
    if (textIn(names, name) === '') causes.push(required(`${path}.${name}`))
}

export function checkNames(causes: Causes, path: string, names: JsonObject | undefined): void {
  const label = (at: string, text: string): void => {
    const problems = hostLabelProblems(text)
    if (problems.length > 0) causes.push(invalidValue(at, text, problems.join(',')))
  }
  for (const name of ['plural', 'singular']) {
    const text = textIn(names, name)
    if (text !== '') label(`${path}.${name}`, text)
  }
  const [kind, listKind] = [textIn(names, 'kind'), textIn(names, 'listKind')]
  for (const [name, text] of Object.entries({ kind, listKind })) {
    const problems = text === '' ? [] : hostLabelProblems(text.toLowerCase())
    const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`
    if (problems.length > 0) causes.push(invalidValue(`${path}.${name}`, text, detail))
  }
  for (const [i, name] of textsIn(names, 'shortNames').entries()) label(`${path}.shortNames[${i}]`, name)
  if (kind !== '' && kind === listKind)
    causes.push(invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same'))
  for (const [i, name] of textsIn(names, 'categories').entries()) label(`${path}.categories[${i}]`, name)
}
