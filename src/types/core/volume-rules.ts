/** Volumes of a pod. Each has a name of its own and one source. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import {
  type Causes,
  checkAlternatives,
  checkName,
  checkRequiredText,
  createUnique,
} from '../validation/checks.ts'
import { checkTemplateMetadata } from '../validation/labels.ts'
import { labelProblem, subdomainProblem } from '../validation/names.ts'
import { checkNoBacksteps, checkRelativePath } from '../validation/paths.ts'
import { checkAmount } from '../validation/quantities.ts'
import { type Given, has, itemsIn, numberIn, objectIn, textIn } from '../validation/read.ts'
import { checkClaimSpec } from './claim-rules.ts'
import { checkFieldRef, checkResourceFieldRef, fileFields } from './env-rules.ts'

type SourceCheck = (causes: Causes, path: string, source: JsonObject) => void

/** The volumes by name, checked on the way. */
export function checkVolumes(
  causes: Causes,
  path: string,
  spec: JsonObject,
): ReadonlyMap<string, JsonObject> {
  const volumes = new Map<string, JsonObject>()
  const unique = createUnique(causes)
  for (const [i, volume] of itemsIn(spec, 'volumes').entries()) {
    const at = `${path}.volumes[${i}]`
    const name = textIn(volume, 'name')
    checkName(causes, at, volume, 'name', labelProblem)
    unique(`${at}.name`, name)
    volumes.set(name, volume)
    checkVolumeSource(causes, at, volume)
  }
  return volumes
}

function checkVolumeSource(causes: Causes, path: string, volume: JsonObject): void {
  let first: string | undefined
  for (const name of Object.keys(volume)) {
    if (name === 'name' || !has(volume, name)) continue
    if (first === undefined) {
      first = name
      const source = objectIn(volume, name)
      if (source !== undefined) sourceChecks.get(name)?.(causes, `${path}.${name}`, source)
    } else {
      causes.push({
        reason: 'FieldValueForbidden',
        message: 'Forbidden: may not specify more than 1 volume type',
        field: `${path}.${name}`,
      })
    }
  }
  if (first === undefined) causes.push(required(path, 'must specify a volume type'))
}

const modeMax = 0o777
const modeText = 'must be a number between 0 and 0777 (octal), both inclusive'

function checkMode(causes: Causes, path: string, object: Given, name: string): void {
  const mode = numberIn(object, name)
  if (mode !== undefined && (mode < 0 || mode > modeMax))
    causes.push(invalidValue(`${path}.${name}`, mode, modeText))
}

/** Which keys become which files. */
function checkItems(causes: Causes, path: string, source: JsonObject): void {
  for (const [i, item] of itemsIn(source, 'items').entries()) {
    const at = `${path}.items[${i}]`
    const file = textIn(item, 'path')
    if (file !== '') checkFilePath(causes, `${at}.path`, file)
    checkMode(causes, at, item, 'mode')
  }
}

/** A file in the root of a volume may not look as if it were the volume's own. */
function checkFilePath(causes: Causes, path: string, file: string): void {
  checkRelativePath(causes, path, file)
  if (file.startsWith('..') && !file.startsWith('../') && file !== '..')
    causes.push(invalidValue(path, file, "must not start with '..'"))
}

function checkDownward(causes: Causes, path: string, source: JsonObject): void {
  for (const [i, item] of itemsIn(source, 'items').entries()) {
    const at = `${path}.items[${i}]`
    const file = textIn(item, 'path')
    if (file !== '') checkFilePath(causes, `${at}.path`, file)
    const field = objectIn(item, 'fieldRef')
    const resource = objectIn(item, 'resourceFieldRef')
    if (field !== undefined) {
      checkFieldRef(causes, `${at}.fieldRef`, field, fileFields)
      if (resource !== undefined)
        causes.push(
          invalidValue(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
        )
    } else if (resource !== undefined) {
      checkRequiredText(causes, `${at}.resourceFieldRef`, resource, 'containerName')
      checkResourceFieldRef(causes, `${at}.resourceFieldRef`, resource)
    } else causes.push(required(at, 'one of fieldRef and resourceFieldRef is required'))
    checkMode(causes, at, item, 'mode')
  }
}

const tokenSecondsMin = 600
const tokenSecondsMax = 2 ** 32

function checkToken(causes: Causes, path: string, source: JsonObject): void {
  const seconds = numberIn(source, 'expirationSeconds') ?? tokenSecondsMin
  const at = `${path}.expirationSeconds`
  if (seconds < tokenSecondsMin)
    causes.push(invalidValue(at, seconds, 'may not specify a duration less than 10 minutes'))
  if (seconds > tokenSecondsMax)
    causes.push(invalidValue(at, seconds, 'may not specify a duration larger than 2^32 seconds'))
}

function checkProjected(causes: Causes, path: string, source: JsonObject): void {
  checkMode(causes, path, source, 'defaultMode')
  const kinds = [...projections.keys()]
  for (const [i, projection] of itemsIn(source, 'sources').entries()) {
    const at = `${path}.sources[${i}]`
    const kind = checkAlternatives(causes, at, projection, kinds, 'a volume type')
    if (kind === undefined) continue
    const given = objectIn(projection, kind)
    if (given !== undefined) projections.get(kind)?.(causes, `${at}.${kind}`, given)
  }
}

const namedItems: SourceCheck = (causes, path, source) => {
  checkRequiredText(causes, path, source, 'name')
  checkItems(causes, path, source)
}

const projections: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([
  ['secret', namedItems],
  ['configMap', namedItems],
  ['downwardAPI', checkDownward],
  ['serviceAccountToken', checkToken],
  ['clusterTrustBundle', () => undefined],
])

/** Sources with rules beyond the fields that they must have. */
const sourceChecks: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([
  [
    'configMap',
    (causes, path, source) => {
      checkRequiredText(causes, path, source, 'name')
      checkMode(causes, path, source, 'defaultMode')
      checkItems(causes, path, source)
    },
  ],
  [
    'secret',
    (causes, path, source) => {
      checkRequiredText(causes, path, source, 'secretName')
      checkMode(causes, path, source, 'defaultMode')
      checkItems(causes, path, source)
    },
  ],
  [
    'downwardAPI',
    (causes, path, source) => {
      checkMode(causes, path, source, 'defaultMode')
      checkDownward(causes, path, source)
    },
  ],
  ['projected', checkProjected],
  ['emptyDir', (causes, path, source) => checkAmount(causes, path, source, 'sizeLimit')],
  ['hostPath', (causes, path, source) => checkNoBacksteps(causes, `${path}.path`, textIn(source, 'path'))],
  ['nfs', checkNfs],
  ['csi', (causes, path, source) => checkDriver(causes, path, source)],
  [
    'gitRepo',
    (causes, path, source) => checkRelativePath(causes, `${path}.directory`, textIn(source, 'directory')),
  ],
  ['ephemeral', checkEphemeral],
])

/** Network file systems, in pods and in persistent volumes. */
export function checkNfs(causes: Causes, path: string, source: JsonObject): void {
  const directory = textIn(source, 'path')
  if (directory !== '' && !directory.startsWith('/'))
    causes.push(invalidValue(`${path}.path`, directory, 'must be an absolute path'))
}

const driverLengthMax = 63

/** The name of a storage driver. */
export function checkDriver(causes: Causes, path: string, source: Given, name = 'driver'): void {
  const driver = textIn(source, name)
  if (driver.length > driverLengthMax)
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: must have at most ${driverLengthMax} bytes`,
      field: `${path}.${name}`,
    })
  const problem = driver === '' ? undefined : subdomainProblem(driver.toLowerCase())
  if (problem !== undefined) causes.push(invalidValue(`${path}.${name}`, driver, problem))
}

function checkEphemeral(causes: Causes, path: string, source: JsonObject): void {
  const template = objectIn(source, 'volumeClaimTemplate')
  if (template === undefined) {
    causes.push(required(`${path}.volumeClaimTemplate`))
    return
  }
  checkTemplateMetadata(causes, `${path}.volumeClaimTemplate`, template)
  checkClaimSpec(causes, `${path}.volumeClaimTemplate.spec`, objectIn(template, 'spec') ?? {})
}
