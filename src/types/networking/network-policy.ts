/** Network policies: which pods may talk to whom, through which ports. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, required } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkText, isPort, portText } from '../validation/checks.ts'
import { isStrictPart, parseRange, rangeText } from '../validation/ip.ts'
import { checkSelector } from '../validation/labels.ts'
import { portNameProblems } from '../validation/names.ts'
import { has, itemsIn, numberIn, objectIn, present, specOf, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const networkPolicy: ModuleFactory = () => ({
  strategy: {
    toldGroup: 'extensions',
    validate: validates((causes, object) => checkSpec(causes, 'spec', specOf(object))),
  },
})

const typesMax = 2

function checkSpec(causes: Causes, path: string, spec: JsonObject): void {
  checkSelector(causes, `${path}.podSelector`, objectIn(spec, 'podSelector'))
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [i, rule] of itemsIn(spec, direction).entries()) {
      const at = `${path}.${direction}[${i}]`
      for (const [j, port] of itemsIn(rule, 'ports').entries()) checkPort(causes, `${at}.ports[${j}]`, port)
      for (const [j, peer] of itemsIn(rule, peers).entries()) checkPeer(causes, `${at}.${peers}[${j}]`, peer)
    }
  }
  const types = textsIn(spec, 'policyTypes')
  if (types.length > typesMax)
    causes.push(invalidValue(`${path}.policyTypes`, types, 'may not specify more than two policyTypes'))
}

function checkPort(causes: Causes, path: string, port: JsonObject): void {
  const value = port['port']
  const end = numberIn(port, 'endPort')
  if (typeof value === 'number') {
    if (!isPort(value)) causes.push(invalidValue(`${path}.port`, value, portText))
    if (end === undefined) return
    if (end < value)
      causes.push(invalidValue(`${path}.endPort`, end, 'must be greater than or equal to `port`'))
    if (!isPort(end)) causes.push(invalidValue(`${path}.endPort`, end, portText))
  } else if (typeof value === 'string') {
    if (end !== undefined)
      causes.push(invalidValue(`${path}.endPort`, end, 'may not be specified when `port` is non-numeric'))
    checkText(causes, `${path}.port`, value, portNameProblems)
  } else if (end !== undefined) {
    causes.push(invalidValue(`${path}.endPort`, end, 'may not be specified when `port` is not specified'))
  }
}

function checkPeer(causes: Causes, path: string, peer: JsonObject): void {
  const given = present(peer, ['podSelector', 'namespaceSelector', 'ipBlock'])
  if (given.length === 0) causes.push(required(path, 'must specify a peer'))
  if (given.length > 1 && has(peer, 'ipBlock'))
    causes.push(forbiddenField(path, 'may not specify both ipBlock and another peer'))
  checkSelector(causes, `${path}.podSelector`, objectIn(peer, 'podSelector'))
  checkSelector(causes, `${path}.namespaceSelector`, objectIn(peer, 'namespaceSelector'))
  const block = objectIn(peer, 'ipBlock')
  if (block !== undefined) checkBlock(causes, `${path}.ipBlock`, block)
}

function checkBlock(causes: Causes, path: string, block: JsonObject): void {
  const cidr = textIn(block, 'cidr')
  if (cidr === '') return
  const whole = parseRange(cidr)
  if (whole === undefined) {
    causes.push(invalidValue(`${path}.cidr`, cidr, rangeText))
    return
  }
  for (const [i, text] of textsIn(block, 'except').entries()) {
    const part = parseRange(text)
    const at = `${path}.except[${i}]`
    if (part === undefined) causes.push(invalidValue(at, text, rangeText))
    else if (!isStrictPart(part, whole))
      causes.push(invalidValue(at, text, 'must be a strict subset of `cidr`'))
  }
}
