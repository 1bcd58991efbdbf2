/** Storage classes, drivers and attachments. */

import type { JsonObject } from '../../json.ts'
import { duplicate, forbiddenField, invalidValue, required } from '../../status/causes.ts'
import { checkDriver } from '../core/volume-sources.ts'
import { changedCauses, forbiddenChanges, immutable } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import { allMetadataParts } from '../resource.ts'
import {
  type Causes,
  checkDistinct,
  checkName,
  checkNotEmpty,
  checkOneOf,
  checkText,
  createUnique,
} from '../validation/checks.ts'
import { checkSelector } from '../validation/labels.ts'
import { qualifiedNameProblems, subdomainProblems } from '../validation/names.ts'
import { checkAmount } from '../validation/quantities.ts'
import {
  entriesIn,
  has,
  itemsIn,
  jsonOf,
  numberIn,
  objectIn,
  present,
  specOf,
  textIn,
  textsIn,
} from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

const parametersMax = 512
const parameterBytesMax = 256 * 1024

export const storageClass: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      const json = jsonOf(object)
      checkText(causes, 'provisioner', textIn(json, 'provisioner').toLowerCase(), provisionerProblem)
      checkParameters(causes, json)
      checkTopologies(causes, itemsIn(json, 'allowedTopologies'))
    }),
    validateUpdate: (object, old) => [
      ...forbiddenChanges(object, old, ['parameters'], 'updates to parameters are forbidden.'),
      ...forbiddenChanges(object, old, ['provisioner'], 'updates to provisioner are forbidden.'),
      ...forbiddenChanges(object, old, ['reclaimPolicy'], 'updates to reclaimPolicy are forbidden.'),
      ...changedCauses(object, old, ['volumeBindingMode']),
    ],
  },
})

/** That there must be one is the schema's to say. */
const provisionerProblem = (name: string) => (name === '' ? [] : qualifiedNameProblems(name))

function checkParameters(causes: Causes, object: JsonObject): void {
  const parameters = entriesIn(object, 'parameters')
  if (parameters.length > parametersMax)
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: must have at most ${parametersMax} items`,
      field: 'parameters',
    })
  let bytes = 0
  for (const [key, value] of parameters) {
    if (key === '') causes.push(invalidValue('parameters', key, 'field can not be empty.'))
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value))
  }
  if (bytes > parameterBytesMax)
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: must have at most ${parameterBytesMax} bytes`,
      field: 'parameters',
    })
}

/** Alternatives: none may say what another one says. */
function checkTopologies(causes: Causes, terms: readonly JsonObject[]): void {
  const said = new Set<string>()
  for (const [i, term] of terms.entries()) {
    const at = `allowedTopologies[${i}].matchLabelExpressions`
    const expressions = itemsIn(term, 'matchLabelExpressions')
    const keys = createUnique(causes)
    for (const [j, expression] of expressions.entries()) {
      const key = textIn(expression, 'key')
      checkNotEmpty(causes, `${at}[${j}]`, expression, 'values')
      checkDistinct(causes, `${at}[${j}]`, expression, 'values')
      checkText(causes, `${at}[${j}].key`, key, qualifiedNameProblems)
      keys(`${at}[${j}].key`, key)
    }
    const id = JSON.stringify(expressions.map(({ key, values }) => [key, values]).sort())
    if (said.has(id)) causes.push(duplicate(at, ''))
    said.add(id)
  }
}

export const volumeAttachment: ModuleFactory = () => ({
  strategy: {
    keptByStatus: allMetadataParts,
    validate: validates((causes, object) => {
      const spec = specOf(object)
      checkDriver(causes, 'spec', spec, 'attacher')
      checkName(causes, 'spec', spec, 'nodeName', subdomainProblems)
      const sources = present(objectIn(spec, 'source'), ['persistentVolumeName', 'inlineVolumeSpec'])
      const detail = 'exactly one of inlineVolumeSpec and persistentVolumeName must be specified'
      if (sources.length === 0) causes.push(required('spec.source', detail))
      if (sources.length > 1) causes.push(forbiddenField('spec.source', detail))
    }),
    validateUpdate: immutable('spec'),
  },
})

export const csiDriver: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      const spec = specOf(object)
      const { name = '' } = object.metadata
      if (name !== '') checkDriver(causes, 'metadata', { name }, 'name')
      for (const [i, mode] of textsIn(spec, 'volumeLifecycleModes').entries()) {
        checkOneOf(causes, `spec.volumeLifecycleModes[${i}]`, { mode }, 'mode', ['Ephemeral', 'Persistent'])
      }
      checkOneOf(causes, 'spec', spec, 'fsGroupPolicy', ['File', 'None', 'ReadWriteOnceWithFSType'])
      checkTokens(causes, spec)
    }),
    validateUpdate: immutable('spec.attachRequired', 'spec.fsGroupPolicy', 'spec.volumeLifecycleModes'),
  },
})

const tokenSecondsMin = 600

function checkTokens(causes: Causes, spec: JsonObject): void {
  const unique = createUnique(causes)
  for (const [i, token] of itemsIn(spec, 'tokenRequests').entries()) {
    const at = `spec.tokenRequests[${i}]`
    unique(`${at}.audience`, textIn(token, 'audience'))
    const seconds = numberIn(token, 'expirationSeconds')
    if (seconds !== undefined && seconds < tokenSecondsMin)
      causes.push(
        invalidValue(`${at}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'),
      )
  }
}

export const csiNode: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      const unique = createUnique(causes)
      for (const [i, driver] of itemsIn(specOf(object), 'drivers').entries()) {
        const at = `spec.drivers[${i}]`
        checkDriver(causes, at, driver, 'name')
        unique(`${at}.name`, textIn(driver, 'name'))
        const count = numberIn(objectIn(driver, 'allocatable'), 'count')
        if (count !== undefined && count < 0)
          causes.push(invalidValue(`${at}.allocatable.count`, count, 'must be greater than or equal to 0'))
        for (const [j, key] of textsIn(driver, 'topologyKeys').entries()) {
          checkText(causes, `${at}.topologyKeys[${j}]`, key, qualifiedNameProblems)
        }
      }
    }),
  },
})

export const csiStorageCapacity: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      const json = jsonOf(object)
      checkName(causes, '', json, 'storageClassName', subdomainProblems)
      if (has(json, 'nodeTopology')) checkSelector(causes, 'nodeTopology', objectIn(json, 'nodeTopology'))
      for (const name of ['capacity', 'maximumVolumeSize']) checkAmount(causes, '', json, name)
    }),
    validateUpdate: immutable('nodeTopology', 'storageClassName'),
  },
})
