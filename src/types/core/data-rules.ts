/** Config maps and secrets: keys that can be files, sizes that a store bears, and the keys that a type of secret needs. */

import type { JsonObject, JsonValue } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import { invalidValue, required, tooLong } from '../../status/causes.ts'
import { type Causes, checkText } from '../validation/checks.ts'
import { dataKeyProblems } from '../validation/names.ts'
import { type Given, has, objectIn, textIn } from '../validation/read.ts'

const dataBytesMax = 1024 * 1024

export function checkConfigMap(causes: Causes, object: JsonObject): void {
  const data = objectIn(object, 'data')
  const binary = objectIn(object, 'binaryData')
  let bytes = 0
  for (const key in data) {
    checkKey(causes, 'data', key)
    if (binary !== undefined && Object.hasOwn(binary, key))
      causes.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    bytes += textBytes(data[key])
  }
  for (const key in binary) {
    checkKey(causes, 'binaryData', key)
    bytes += decodedBytes(binary[key])
  }
  if (bytes > dataBytesMax) causes.push(tooLong('data', dataBytesMax))
}

function checkKey(causes: Causes, path: string, key: string): void {
  checkText(causes, `${path}[${key}]`, key, dataKeyProblems)
}

function textBytes(value: JsonValue | undefined): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0
}

/** What base64 text decodes to. */
function decodedBytes(value: JsonValue | undefined): number {
  return typeof value === 'string' ? Buffer.byteLength(value, 'base64') : 0
}

type SecretCheck = (causes: Causes, object: JsonObject) => void

/** By dialect: the types are called by the maker's domain. */
export function createSecretCheck({ expand }: Names): SecretCheck {
  const accountName = expand('{labels}/service-account.name')
  const needed: ReadonlyMap<string, (causes: Causes, data: Given) => void> = new Map([
    [expand('{labels}/dockercfg'), (causes: Causes, data: Given) => checkJson(causes, data, '.dockercfg')],
    [
      expand('{labels}/dockerconfigjson'),
      (causes: Causes, data: Given) => checkJson(causes, data, '.dockerconfigjson'),
    ],
    [expand('{labels}/basic-auth'), checkBasic],
    [
      expand('{labels}/ssh-auth'),
      (causes: Causes, data: Given) => checkNeeds(causes, data, 'ssh-privatekey'),
    ],
    [
      expand('{labels}/tls'),
      (causes: Causes, data: Given) => {
        checkPresent(causes, data, 'tls.crt')
        checkPresent(causes, data, 'tls.key')
      },
    ],
  ])
  const accountToken = expand('{labels}/service-account-token')
  return (causes, object) => {
    const data = objectIn(object, 'data')
    let bytes = 0
    for (const key in data) {
      checkKey(causes, 'data', key)
      bytes += decodedBytes(data[key])
    }
    if (bytes > dataBytesMax) causes.push(tooLong('data', dataBytesMax))
    const type = textIn(object, 'type')
    needed.get(type)?.(causes, data)
    if (type === accountToken && annotationOf(object, accountName) === '')
      causes.push(required(`metadata.annotations[${accountName}]`))
  }
}

function annotationOf(object: JsonObject, name: string): string {
  return textIn(objectIn(objectIn(object, 'metadata'), 'annotations'), name)
}

function checkPresent(causes: Causes, data: Given, key: string): void {
  if (!has(data, key)) causes.push(required(`data[${key}]`))
}

function checkNeeds(causes: Causes, data: Given, key: string): void {
  if (textIn(data, key) === '') causes.push(required(`data[%s][${key}]`))
}

/** One of the two is enough. What is missing is called so by every server of this API, however odd. */
function checkBasic(causes: Causes, data: Given): void {
  if (has(data, 'username') || has(data, 'password')) return
  causes.push(required('data[%s][username]'), required('data[%s][password]'))
}

function checkJson(causes: Causes, data: Given, key: string): void {
  if (!has(data, key)) {
    causes.push(required(`data[${key}]`))
    return
  }
  try {
    JSON.parse(Buffer.from(textIn(data, key), 'base64').toString())
  } catch {
    // What is secret is not shown, nor is what the parser says about it.
    causes.push(invalidValue(`data[${key}]`, '<secret contents redacted>', 'must be valid JSON'))
  }
}
