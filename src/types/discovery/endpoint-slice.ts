/** Endpoint slices: a part of the addresses behind a service, all of one type. */

import { parseAddress } from '../../ip.ts'
import type { JsonObject } from '../../json.ts'
import { invalidValue } from '../../status/causes.ts'
import { destinationProblems } from '../core/endpoints.ts'
import { immutable } from '../immutable.ts'
import type { ModuleFactory } from '../module.ts'
import type { ApiObject } from '../object.ts'
import {
  type Causes,
  checkGiven,
  checkName,
  checkNotEmpty,
  checkText,
  createUnique,
} from '../validation/checks.ts'
import { tooMany } from '../validation/more-causes.ts'
import {
  labelNameProblems,
  labelValueProblems,
  type NameCheck,
  qualifiedNameProblems,
  subdomainProblems,
} from '../validation/names.ts'
import { itemsIn, jsonOf, objectIn, textIn, textsIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const endpointSlice: ModuleFactory = () => ({
  strategy: { validate: validates(checkSlice), validateUpdate: immutable('addressType') },
})

const endpointsMax = 1000
const addressesMax = 100
const portsMax = 20_000
const hintsMax = 8

function checkSlice(causes: Causes, object: ApiObject): void {
  const json = jsonOf(object)
  const endpoints = itemsIn(json, 'endpoints')
  if (endpoints.length > endpointsMax) causes.push(tooMany('endpoints', endpoints.length, endpointsMax))
  else {
    const check = addressChecks.get(textIn(json, 'addressType')) ?? (() => [])
    for (const [i, endpoint] of endpoints.entries()) checkEndpoint(causes, `endpoints[${i}]`, endpoint, check)
  }
  const ports = itemsIn(json, 'ports')
  if (ports.length > portsMax) causes.push(tooMany('ports', ports.length, portsMax))
  const unique = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const name = textIn(port, 'name')
    if (unique.has(name))
      causes.push({
        reason: 'FieldValueDuplicate',
        message: `Duplicate value: ${JSON.stringify(name)}`,
        field: `ports[${i}].name`,
      })
    unique.add(name)
    checkName(causes, `ports[${i}]`, port, 'name', labelNameProblems)
    checkGiven(causes, `ports[${i}]`, port, 'appProtocol', qualifiedNameProblems)
  }
}

function ofFamily(family: 'IPv4' | 'IPv6'): NameCheck {
  return (text) => {
    const problems = destinationProblems(text)
    return parseAddress(text)?.family === family
      ? problems
      : [`must be a valid ${family} address`, ...problems]
  }
}

const addressChecks: ReadonlyMap<string, NameCheck> = new Map<string, NameCheck>([
  ['IPv4', ofFamily('IPv4')],
  ['IPv6', ofFamily('IPv6')],
  ['FQDN', (text) => subdomainProblems(text.replace(/\.$/, ''))],
])

function checkEndpoint(causes: Causes, path: string, endpoint: JsonObject, check: NameCheck): void {
  const addresses = textsIn(endpoint, 'addresses')
  checkNotEmpty(causes, path, endpoint, 'addresses', 'must contain at least 1 address')
  if (addresses.length > addressesMax)
    causes.push(tooMany(`${path}.addresses`, addresses.length, addressesMax))
  for (const [i, address] of addresses.entries()) checkText(causes, `${path}.addresses[${i}]`, address, check)
  checkGiven(causes, path, endpoint, 'nodeName', subdomainProblems)
  checkGiven(causes, path, endpoint, 'hostname', labelNameProblems)
  const zones = itemsIn(objectIn(endpoint, 'hints'), 'forZones')
  if (zones.length > hintsMax) {
    causes.push(invalidValue(`${path}.hints.forZones`, zones, `may contain no more than ${hintsMax} zones`))
    return
  }
  const unique = createUnique(causes)
  for (const [i, zone] of zones.entries()) {
    const at = `${path}.hints.forZones[${i}]`
    checkName(causes, at, zone, 'name', labelValueProblems)
    unique(`${at}.name`, textIn(zone, 'name'))
  }
}
