/** How a webhook is reached: by its address, or through a service. */

import type { JsonObject } from '../../json.ts'
import { invalidValue, required } from '../../status/causes.ts'
import { type Causes, isPort, portText } from './checks.ts'
import { subdomainProblems } from './names.ts'
import { has, objectIn, textIn } from './read.ts'
import { checkWebhookUrl } from './webhook-url.ts'

export function checkWebhookClient(causes: Causes, path: string, client: JsonObject): void {
  const service = objectIn(client, 'service')
  if (has(client, 'url') === (service !== undefined))
    causes.push(required(path, 'exactly one of url or service is required'))
  else if (service !== undefined) checkServiceReference(causes, `${path}.service`, service)
  else checkWebhookUrl(causes, `${path}.url`, textIn(client, 'url'))
}

function checkServiceReference(causes: Causes, path: string, service: JsonObject): void {
  for (const name of ['name', 'namespace'])
    if (textIn(service, name) === '') causes.push(required(`${path}.${name}`, `service ${name} is required`))
  const port = service['port']
  if (port !== undefined && !isPort(port))
    causes.push(invalidValue(`${path}.port`, port, `port is not valid: ${portText}`))
  checkPath(causes, `${path}.path`, textIn(service, 'path'))
}

function checkPath(causes: Causes, at: string, urlPath: string): void {
  if (urlPath === '' || urlPath === '/') return
  if (!urlPath.startsWith('/')) causes.push(invalidValue(at, urlPath, "must start with a '/'"))
  const steps = urlPath.slice(1).replace(/\/$/, '').split('/')
  for (const [i, step] of steps.entries()) {
    const problems =
      step === ''
        ? [`segment[${i}] may not be empty`]
        : subdomainProblems(step).map((one) => `segment[${i}]: ${one}`)
    for (const problem of problems) causes.push(invalidValue(at, urlPath, problem))
  }
}
