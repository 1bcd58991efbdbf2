/** Where a service is that an object of the API names, as `clientConfig` of webhooks says it. */

import { isJsonObject, type JsonObject } from '../json.ts'
import { textAt } from '../types/draft.ts'

/** Where it is; a service is looked up when it is asked. */
export type ClientConfig =
  | { readonly type: 'url'; readonly url: string; readonly ca: string | undefined }
  | {
      readonly type: 'service'
      readonly namespace: string
      readonly name: string
      readonly port: number
      readonly path: string
      readonly ca: string | undefined
    }

const portUsual = 443

/** Of a valid `clientConfig`. */
export function readClientConfig(config: JsonObject): ClientConfig {
  const bundle = textAt(config, 'caBundle')
  const ca = bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8')
  const { service } = config
  if (!isJsonObject(service)) return { type: 'url', url: textAt(config, 'url'), ca }
  const { port } = service
  return {
    type: 'service',
    namespace: textAt(service, 'namespace'),
    name: textAt(service, 'name'),
    port: typeof port === 'number' ? port : portUsual,
    path: textAt(service, 'path'),
    ca,
  }
}
