/**
 * A service that a client configuration file names: its address, whom to trust, and the credential to show.
 *
 * Source: specification, "Token webhook authentication", "Authorization" 7.
 */

import { posix } from 'node:path'
import type { Clock } from '../../store/contract.ts'
import { fail, ok, type Result } from '../../store/contract.ts'
import { parseYaml } from '../codec/yaml.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { HttpClient, HttpClientOptions, Outside } from './outside.ts'
import { createRotatingClient } from './rotating-client.ts'

/** A service ready to be asked. */
export interface Endpoint {
  readonly url: string
  readonly client: HttpClient
  /** Value of the header `authorization`; undefined = none is sent. */
  authorization(): Promise<string | undefined>
}

const nestingMax = 50
/** A token file is read again after this. */
const tokenFileMs = 60_000

/** Fails with a sentence that names the file and what is wrong, never what a credential holds. */
export async function openEndpoint(
  path: string,
  outside: Outside,
  clock: Clock,
): Promise<Result<Endpoint, string>> {
  const text = await outside.readFile(path)
  if (!text.ok) return fail(`${path} ${text.failure}`)
  const found = selectContext(text.value)
  if (!found.ok) return fail(`${path}: ${found.failure}`)
  const { cluster, user } = found.value
  const url = serverUrl(cluster['server'])
  if (!url.ok) return fail(`${path}: ${url.failure}`)
  const files = relativeTo(path, outside)
  const tls = await tlsOf(cluster, user, files)
  if (!tls.ok) return fail(`${path}: ${tls.failure}`)
  const credential = await credentialOf(user, files, clock)
  if (!credential.ok) return fail(`${path}: ${credential.failure}`)
  const read = (): ReturnType<typeof tlsOf> => tlsOf(cluster, user, files)
  const client = createRotatingClient(tls.value, { outside, clock, read })
  if (!client.ok) return fail(`${path}: ${client.failure}`)
  return ok({ url: url.value, client: client.value, authorization: credential.value })
}

interface Selected {
  readonly cluster: JsonObject
  readonly user: JsonObject
}

/** Fails with what is wrong with the file. */
function selectContext(text: string): Result<Selected, string> {
  if (text.trim() === '') return fail('is empty')
  const parsed = parseYaml(text, nestingMax)
  if (!parsed.ok) return fail(parsed.failure)
  const config = parsed.value
  if (!isJsonObject(config)) return fail('is no client configuration')
  const { apiVersion = 'v1', kind = 'Config' } = config
  if (apiVersion !== 'v1' || kind !== 'Config')
    return fail(`is ${JSON.stringify(apiVersion)} ${JSON.stringify(kind)}, expected "v1" "Config"`)
  const name = config['current-context']
  if (typeof name !== 'string' || name === '') return fail('current-context is not set')
  const context = entry(config, 'contexts', name, 'context')
  if (context === undefined) return fail(`context ${JSON.stringify(name)} does not exist`)
  const cluster = entry(config, 'clusters', context['cluster'], 'cluster')
  if (cluster === undefined)
    return fail(
      `cluster ${JSON.stringify(context['cluster'] ?? '')} of context ${JSON.stringify(name)} does not exist`,
    )
  const userName = context['user'] ?? ''
  const user = userName === '' ? {} : entry(config, 'users', userName, 'user')
  if (user === undefined)
    return fail(`user ${JSON.stringify(userName)} of context ${JSON.stringify(name)} does not exist`)
  return ok({ cluster, user })
}

/** What stands under `field` in the entry of this name; an entry without it is empty. */
function entry(
  config: JsonObject,
  list: string,
  name: JsonValue | undefined,
  field: string,
): JsonObject | undefined {
  const entries = config[list]
  if (!Array.isArray(entries)) return undefined
  const found = entries.filter(isJsonObject).find((one) => one['name'] === name)
  if (found === undefined) return undefined
  const value = found[field]
  return isJsonObject(value) ? value : {}
}

function serverUrl(server: JsonValue | undefined): Result<string, string> {
  if (typeof server !== 'string' || server === '') return fail('the cluster has no server')
  let url: URL
  try {
    url = new URL(server)
  } catch {
    return fail(`server ${JSON.stringify(server)} is no URL`)
  }
  if (url.protocol !== 'https:') return fail(`server ${JSON.stringify(server)} must begin with https://`)
  if (url.username !== '' || url.password !== '') return fail('server must not hold a user name or password')
  return ok(url.href)
}

/** Reads what a field names, seen from the folder of the configuration. */
interface Files {
  read(field: string, path: string): Promise<Result<string, string>>
}

function relativeTo(configPath: string, outside: Outside): Files {
  const folder = posix.dirname(configPath)
  return {
    async read(field, path) {
      const full = posix.isAbsolute(path) ? path : posix.join(folder, path)
      const text = await outside.readFile(full)
      if (!text.ok) return fail(`${field} ${full} ${text.failure}`)
      return text.value.trim() === '' ? fail(`${field} ${full} is empty`) : text
    },
  }
}

async function tlsOf(
  cluster: JsonObject,
  user: JsonObject,
  files: Files,
): Promise<Result<HttpClientOptions, string>> {
  if (textAt(cluster, 'proxy-url') !== '') return fail('proxy-url is not supported')
  const [ca, certificate, privateKey] = await Promise.all([
    dataOrFile(cluster, 'certificate-authority', files),
    dataOrFile(user, 'client-certificate', files),
    dataOrFile(user, 'client-key', files),
  ])
  if (!ca.ok) return ca
  if (!certificate.ok) return certificate
  if (!privateKey.ok) return privateKey
  if ((certificate.value === undefined) !== (privateKey.value === undefined))
    return fail('client-certificate and client-key must be given together')
  const insecure = cluster['insecure-skip-tls-verify'] === true
  if (insecure && ca.value !== undefined)
    return fail('certificate-authority and insecure-skip-tls-verify contradict each other')
  const serverName = textAt(cluster, 'tls-server-name')
  return ok({
    insecure,
    ...(ca.value === undefined ? {} : { ca: ca.value }),
    ...(certificate.value === undefined ? {} : { certificate: certificate.value }),
    ...(privateKey.value === undefined ? {} : { privateKey: privateKey.value }),
    ...(serverName === '' ? {} : { serverName }),
  })
}

/** `<field>-data` (base64) before the file that `<field>` names; undefined = neither. */
async function dataOrFile(
  object: JsonObject,
  field: string,
  files: Files,
): Promise<Result<string | undefined, string>> {
  const data = textAt(object, `${field}-data`)
  if (data !== '') {
    const text = Buffer.from(data, 'base64').toString('utf8')
    return text.includes('-----BEGIN ') ? ok(text) : fail(`${field}-data is no PEM text in base64`)
  }
  const path = textAt(object, field)
  return path === '' ? ok(undefined) : files.read(field, path)
}

type Authorization = Endpoint['authorization']

async function credentialOf(
  user: JsonObject,
  files: Files,
  clock: Clock,
): Promise<Result<Authorization, string>> {
  for (const field of ['exec', 'auth-provider'])
    if (user[field] !== undefined) return fail(`credentials of the kind ${field} are not supported`)
  const [token, tokenFile, name] = [
    textAt(user, 'token'),
    textAt(user, 'tokenFile'),
    textAt(user, 'username'),
  ]
  if (name !== '' && (token !== '' || tokenFile !== ''))
    return fail('a user has a token or a user name and password, not both')
  if (tokenFile !== '') return tokenFromFile(tokenFile, files, clock)
  if (token !== '') return ok(async () => `Bearer ${token}`)
  if (name === '') return ok(async () => undefined)
  const basic = Buffer.from(`${name}:${textAt(user, 'password')}`).toString('base64')
  return ok(async () => `Basic ${basic}`)
}

/** The last token that could be read counts while the file cannot. */
async function tokenFromFile(
  path: string,
  files: Files,
  clock: Clock,
): Promise<Result<Authorization, string>> {
  const first = await files.read('tokenFile', path)
  if (!first.ok) return first
  let token = first.value.trim()
  let readMs = clock.monotonicMs()
  return ok(async () => {
    if (clock.monotonicMs() - readMs >= tokenFileMs) {
      readMs = clock.monotonicMs()
      const again = await files.read('tokenFile', path)
      if (again.ok) token = again.value.trim()
    }
    return `Bearer ${token}`
  })
}

function textAt(object: JsonObject, field: string): string {
  const value = object[field]
  return typeof value === 'string' ? value : ''
}
