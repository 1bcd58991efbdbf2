/** Endpoints: the addresses behind a service, all in one object. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import type { ModuleFactory } from '../module.ts'
import { type Causes, checkName, isPort, portText } from '../validation/checks.ts'
import { addressText, parseAddress, specialAddressProblem } from '../validation/ip.ts'
import { labelProblem, qualifiedNameProblem, subdomainProblem } from '../validation/names.ts'
import { itemsIn, jsonOf, numberIn, textIn } from '../validation/read.ts'
import { validates } from '../validation/validator.ts'

export const endpoints: ModuleFactory = () => ({
  strategy: {
    validate: validates((causes, object) => {
      for (const [i, subset] of itemsIn(jsonOf(object), 'subsets').entries()) {
        checkSubset(causes, `subsets[${i}]`, subset)
      }
    }),
  },
})

function checkSubset(causes: Causes, path: string, subset: JsonObject): void {
  const lists = ['addresses', 'notReadyAddresses']
  if (lists.every((list) => itemsIn(subset, list).length === 0))
    causes.push(required(path, 'must specify `addresses` or `notReadyAddresses`'))
  for (const list of lists) {
    for (const [i, address] of itemsIn(subset, list).entries()) {
      checkEndpointAddress(causes, `${path}.${list}[${i}]`, address)
    }
  }
  const ports = itemsIn(subset, 'ports')
  for (const [i, port] of ports.entries()) {
    const at = `${path}.ports[${i}]`
    if (textIn(port, 'name') === '' && ports.length > 1) causes.push(required(`${at}.name`))
    checkName(causes, at, port, 'name', labelProblem)
    checkName(causes, at, port, 'appProtocol', qualifiedNameProblem)
    const number = numberIn(port, 'port') ?? 0
    if (!isPort(number)) causes.push(invalidValue(`${at}.port`, number, portText))
  }
}

function checkEndpointAddress(causes: Causes, path: string, address: JsonObject): void {
  checkName(causes, path, address, 'ip', endpointAddressProblem)
  checkName(causes, path, address, 'hostname', labelProblem)
  checkName(causes, path, address, 'nodeName', subdomainProblem)
}

/** An address that traffic can be sent to. */
export function endpointAddressProblem(text: string): string | undefined {
  const address = parseAddress(text)
  return address === undefined ? addressText : specialAddressProblem(address)
}
