/** What signing requests may be. Source: specification, "Certificate signing request v1". */

import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { duplicate, forbiddenField, invalidValue, required, tooLong } from '../../status/causes.ts'
import type { ApiObject } from '../object.ts'
import { type Causes, checkDistinct, checkOneOf } from '../validation/checks.ts'
import { labelNameProblems, type NameCheck, subdomainProblems } from '../validation/names.ts'
import { itemsIn, jsonOf, numberIn, objectIn, specOf, textIn, textsIn } from '../validation/read.ts'

const expirationSecondsMin = 600

export function checkSigningRequest(causes: Causes, object: ApiObject): void {
  const spec = specOf(object)
  const usages = textsIn(spec, 'usages')
  if (usages.length === 0) causes.push(required('spec.usages', 'usages must be provided'))
  checkDistinct(causes, 'spec', spec, 'usages')
  const request = textIn(spec, 'request')
  if (!isPem(request, ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST']))
    causes.push(invalidValue('spec.request', request, 'PEM block type must be CERTIFICATE REQUEST'))
  checkSignerName(causes, 'spec.signerName', textIn(spec, 'signerName'))
  const seconds = numberIn(spec, 'expirationSeconds')
  if (seconds !== undefined && seconds < expirationSecondsMin)
    causes.push(
      invalidValue(
        'spec.expirationSeconds',
        seconds,
        `may not specify a duration less than ${expirationSecondsMin} seconds (10 minutes)`,
      ),
    )
  checkStatus(causes, objectIn(jsonOf(object), 'status') ?? {})
}

/** Requests for the signer of old are kept, not made. */
export function checkNewSigningRequest(causes: Causes, object: ApiObject, { expand }: Names): void {
  const legacy = expand('{labels}/legacy-unknown')
  const signer = textIn(specOf(object), 'signerName')
  if (signer === legacy)
    causes.push(
      invalidValue('spec.signerName', signer, 'the legacy signerName is not allowed via this API version'),
    )
}

const domainLengthMax = 253
const pathLengthMax = domainLengthMax + 1 + 63 + 1 + 253

/** `example.com/path`: a domain, and what the signer is called there. */
function checkSignerName(causes: Causes, path: string, name: string): void {
  if (name === '') return
  const [domain = '', own, ...rest] = name.split('/')
  if (own === undefined || rest.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    causes.push(invalidValue(path, name, detail))
    return
  }
  if (domain.length > domainLengthMax) causes.push(tooLong(path, domainLengthMax))
  checkLabels(causes, path, domain, labelNameProblems)
  if (!domain.includes('.'))
    causes.push(invalidValue(path, domain, 'should be a domain with at least two segments separated by dots'))
  checkLabels(causes, path, own, subdomainProblems)
  if (name.length > pathLengthMax) causes.push(tooLong(path, pathLengthMax))
}

/** What is wrong with the first of the labels that is wrong: more would say the same again. */
function checkLabels(causes: Causes, path: string, name: string, check: NameCheck): void {
  const label = name.split('.').find((one) => check(one).length > 0)
  if (label === undefined) return
  for (const problem of check(label))
    causes.push(invalidValue(path, name, `validating label ${JSON.stringify(label)}: ${problem}`))
}

function checkStatus(causes: Causes, status: JsonObject): void {
  const seen = new Set<string>()
  let decided = ''
  for (const [i, condition] of itemsIn(status, 'conditions').entries()) {
    const at = `status.conditions[${i}]`
    const type = textIn(condition, 'type')
    if (type === '') causes.push(required(`${at}.type`))
    else if (seen.has(type)) causes.push(duplicate(`${at}.type`, type))
    seen.add(type)
    const isDecision = type === 'Approved' || type === 'Denied'
    if (textIn(condition, 'status') === '') causes.push(required(`${at}.status`))
    else if (isDecision) checkOneOf(causes, at, condition, 'status', ['True'])
    else checkOneOf(causes, at, condition, 'status', ['False', 'True', 'Unknown'])
    if (isDecision && decided !== '' && decided !== type)
      causes.push(invalidValue(`${at}.type`, type, 'Approved and Denied conditions are mutually exclusive'))
    if (isDecision) decided = type
  }
  const certificate = textIn(status, 'certificate')
  if (certificate !== '' && !isPem(certificate, ['CERTIFICATE']))
    causes.push(invalidValue('status.certificate', certificate, 'must contain only CERTIFICATE PEM blocks'))
}

/** What is between the lines holds no dash, so that a look at any text takes time in proportion to its length. */
const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g

/** Is this, in base64, at least one PEM block, and are all of these types? Text between blocks does not matter. */
function isPem(base64: string, types: readonly string[]): boolean {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  const blocks = [...text.matchAll(block)]
  return blocks.length > 0 && blocks.every(([, type = '']) => types.includes(type))
}

const decisions = ['Approved', 'Denied', 'Failed']

/** A decision stands, and so does the certificate that followed. */
export function checkDecisionsKept(causes: Causes, object: ApiObject, old: ApiObject): void {
  const [after, before] = [object, old].map((one) => objectIn(jsonOf(one), 'status'))
  for (const type of decisions) {
    const had = (status: typeof after) =>
      itemsIn(status, 'conditions').some((condition) => textIn(condition, 'type') === type)
    if (had(before) && !had(after))
      causes.push(forbiddenField('status.conditions', `updates may not remove a condition of type "${type}"`))
  }
  const issued = textIn(before, 'certificate')
  if (issued !== '' && textIn(after, 'certificate') !== issued)
    causes.push(
      forbiddenField(
        'status.certificate',
        'updates may not change or remove a certificate once it is issued',
      ),
    )
}

/** Who signs does not decide: that is what the path `approval` is for. */
export function checkNothingDecided(causes: Causes, object: ApiObject, old: ApiObject): void {
  for (const type of ['Approved', 'Denied']) {
    const [after, before] = [object, old].map((one) => JSON.stringify(conditionOf(one, type)))
    if (before === undefined && after !== undefined)
      causes.push(forbiddenField('status.conditions', `updates may not add a condition of type "${type}"`))
    else if (after !== undefined && after !== before)
      causes.push(forbiddenField('status.conditions', `updates may not modify a condition of type "${type}"`))
  }
}

function conditionOf(request: ApiObject, type: string): JsonObject | undefined {
  return itemsIn(objectIn(jsonOf(request), 'status'), 'conditions').find(
    (one) => textIn(one, 'type') === type,
  )
}

/** Conditions that came or changed say when: `lastTransitionTime` when their status did. */
export function stampConditions(object: ApiObject, old: ApiObject, now: string): void {
  const status = objectIn(jsonOf(object), 'status')
  const conditions = itemsIn(status, 'conditions')
  if (status === undefined || conditions.length === 0) return
  const stamped = conditions.map((condition): JsonObject => {
    const before = conditionOf(old, textIn(condition, 'type'))
    const kept = textIn(before, 'status') === textIn(condition, 'status')
    const transition = kept ? textIn(before, 'lastTransitionTime') : ''
    return {
      ...condition,
      lastUpdateTime: textIn(condition, 'lastUpdateTime') || now,
      lastTransitionTime: textIn(condition, 'lastTransitionTime') || transition || now,
    }
  })
  object['status'] = { ...status, conditions: stamped }
}
