/** Volumes of a pod. Each has a name of its own and one source. */

import type { JsonObject } from '../../json.ts'
import { forbiddenField, invalidValue, required } from '../../status/causes.ts'
import { type Causes, checkName, checkRequiredText, checkText, createUnique } from '../validation/checks.ts'
import { checkSelector, checkTemplateMetadata } from '../validation/labels.ts'
import { invalidObject } from '../validation/more-causes.ts'
import { labelNameProblems, subdomainProblems } from '../validation/names.ts'
import { checkRelativePath } from '../validation/paths.ts'
import { isNegative } from '../validation/quantities.ts'
import { type Given, has, itemsIn, numberIn, objectIn, present, textIn } from '../validation/read.ts'
import { checkClaimSpec } from './claim-rules.ts'
import { checkFieldRef, checkResourceFieldRef, fileFields } from './env-rules.ts'
import { checkIscsi } from './iscsi-rules.ts'
import { checkStorageSource, type SourceCheck, sourcePath } from './volume-sources.ts'

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
    const before = causes.length
    checkName(causes, at, volume, 'name', labelNameProblems)
    unique(`${at}.name`, name)
    checkVolumeSource(causes, at, volume)
    // Nothing can be mounted that is not right itself.
    if (causes.length === before) volumes.set(name, volume)
  }
  return volumes
}

/** The first source is looked at; there may be no other. */
function checkVolumeSource(causes: Causes, path: string, volume: JsonObject): void {
  const [kind, ...others] = Object.keys(volume).filter((name) => name !== 'name' && has(volume, name))
  if (kind === undefined) {
    causes.push(required(path, 'must specify a volume type'))
    return
  }
  const source = objectIn(volume, kind)
  if (source !== undefined) {
    checkStorageSource(causes, path, kind, source)
    sourceChecks.get(kind)?.(causes, sourcePath(path, kind), source)
  }
  for (const name of others) {
    causes.push(forbiddenField(sourcePath(path, name), 'may not specify more than 1 volume type'))
  }
  if (kind === 'iscsi' && has(source, 'initiatorName'))
    checkPortalLength(causes, path, textIn(volume, 'name'), textIn(source, 'targetPortal'))
}

const portalLengthMax = 64

function checkPortalLength(causes: Causes, path: string, name: string, portal: string): void {
  const detail = `Total length of <volume name>:<iscsi.targetPortal> must be under ${portalLengthMax} characters if iscsi.initiatorName is specified.`
  if (`${name}:${portal}`.length > portalLengthMax) causes.push(invalidValue(`${path}.name`, name, detail))
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
    checkRequiredText(causes, at, item, 'key')
    checkFilePath(causes, at, item)
    checkMode(causes, at, item, 'mode')
  }
}

/** A file in the root of a volume may not look as if it were the volume's own. */
function checkFilePath(causes: Causes, path: string, item: JsonObject): void {
  const file = textIn(item, 'path')
  const at = `${path}.path`
  if (file === '') causes.push(required(at))
  checkRelativePath(causes, at, file)
  if (file.startsWith('..') && !file.startsWith('../'))
    causes.push(invalidValue(at, file, "must not start with '..'"))
}

/** What is wrong with an item is said of the whole source. */
function checkDownward(causes: Causes, path: string, source: JsonObject): void {
  for (const item of itemsIn(source, 'items')) {
    checkFilePath(causes, path, item)
    const field = objectIn(item, 'fieldRef')
    const resource = objectIn(item, 'resourceFieldRef')
    if (field !== undefined) {
      checkFieldRef(causes, `${path}.fieldRef`, field, fileFields)
      if (resource !== undefined)
        causes.push(
          invalidValue(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
        )
    } else if (resource !== undefined) {
      checkResourceFieldRef(causes, `${path}.resourceFieldRef`, resource, true)
    } else causes.push(required(path, 'one of fieldRef and resourceFieldRef is required'))
    checkMode(causes, path, item, 'mode')
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

/** The file of a token is called by the projected volume. */
function checkTokenPath(causes: Causes, path: string, source: Given): void {
  if (source !== undefined) checkFilePath(causes, path, source)
}

function checkProjected(causes: Causes, path: string, source: JsonObject): void {
  checkMode(causes, path, source, 'defaultMode')
  const taken = new Set<string>()
  for (const [i, projection] of itemsIn(source, 'sources').entries()) {
    const at = `${path}.sources[${i}]`
    const kinds = present(projection, [...projections.keys()])
    for (const kind of kinds) {
      const given = objectIn(projection, kind) ?? {}
      projections.get(kind)?.(causes, `${at}.${kind}`, given)
      if (kind === 'serviceAccountToken') checkTokenPath(causes, path, given)
      // Of a file that is a token's as well, clients are warned.
      else checkTaken(causes, path, kind, given, taken)
    }
    if (kinds.length > 1) causes.push(forbiddenField(at, 'may not specify more than 1 volume type'))
  }
}

/** Two sources cannot make the same file. */
function checkTaken(
  causes: Causes,
  path: string,
  kind: string,
  source: JsonObject,
  taken: Set<string>,
): void {
  const files = has(source, 'items') ? itemsIn(source, 'items') : [source]
  for (const item of files) {
    const file = textIn(item, 'path')
    if (file === '') continue
    const value = kind === 'secret' || kind === 'configMap' ? textIn(source, 'name') : file
    if (taken.has(file)) causes.push(invalidValue(path, value, 'conflicting duplicate paths'))
    taken.add(file)
  }
}

/** Of one bundle by its name, or of those of a signer (feature gate `ClusterTrustBundleProjection`). */
function checkTrustBundle(causes: Causes, path: string, source: JsonObject): void {
  const at = `${path}PEM`
  const [byName, bySigner] = [has(source, 'name'), has(source, 'signerName')]
  if (byName && bySigner) causes.push(invalidObject(at, 'only one of name and signerName may be used'))
  else if (byName) {
    if (textIn(source, 'name') === '') causes.push(required(`${at}.name`, 'must be a valid object name'))
    if (has(source, 'labelSelector'))
      causes.push(invalidObject(`${at}.labelSelector`, 'labelSelector must be unset if name is specified'))
  } else if (bySigner) {
    if (textIn(source, 'signerName') === '')
      causes.push(required(`${at}.signerName`, 'must be a valid signer name'))
    checkSelector(causes, `${at}.labelSelector`, objectIn(source, 'labelSelector'))
  } else causes.push(required(at, 'either name or signerName must be specified'))
  checkFilePath(causes, at, source)
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
  ['clusterTrustBundle', checkTrustBundle],
])

const filesOfKeys: SourceCheck = (causes, path, source) => {
  checkMode(causes, path, source, 'defaultMode')
  checkItems(causes, path, source)
}

/** Sources with rules that hold only in pods. */
const sourceChecks: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([
  ['configMap', filesOfKeys],
  ['secret', filesOfKeys],
  [
    'downwardAPI',
    (causes, path, source) => {
      checkMode(causes, path, source, 'defaultMode')
      checkDownward(causes, path, source)
    },
  ],
  ['projected', checkProjected],
  [
    'emptyDir',
    (causes, path, source) => {
      if (isNegative(textIn(source, 'sizeLimit')))
        causes.push(forbiddenField(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'))
    },
  ],
  ['csi', checkDriverSecret],
  ['iscsi', checkIscsi],
  ['ephemeral', checkEphemeral],
])

/** The fields of these causes are called so by every server of this API, however odd. */
function checkDriverSecret(causes: Causes, path: string, source: JsonObject): void {
  const secret = objectIn(source, 'nodePublishSecretRef')
  if (secret === undefined) return
  const name = textIn(secret, 'name')
  if (name === '') causes.push(required(`${path}.nodePublishSecretRef .name`))
  else checkText(causes, `${path}.name`, name, subdomainProblems)
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
