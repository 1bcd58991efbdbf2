/** Kubernetes' URL library. */

import { cel, type OpaqueValue } from '../../types.ts'
import {
  ArrayList,
  CelError,
  CelOpaque,
  EntryMap,
  mapKey,
  noSuchOverload,
  type Value,
} from '../../values/value.ts'
import { define, type Implementation, type Library, traverseFirst } from '../library.ts'
import { type GoUrl, parseGoUrl } from './go-url.ts'

class UrlValue implements OpaqueValue {
  readonly celType = { kind: 'opaque', name: cel.url.name } as const
  readonly url: GoUrl
  constructor(url: GoUrl) {
    this.url = url
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.url.text === this.url.text
  }
}

function parse(text: Value): Value {
  if (typeof text !== 'string') return noSuchOverload
  const parsed = parseGoUrl(text)
  if (!parsed.ok) return new CelError(`URL parse error during conversion from string: ${parsed.failure}`)
  return new CelOpaque(new UrlValue(parsed.value))
}

function get(read: (url: GoUrl) => Value): Implementation {
  return (value) =>
    value instanceof CelOpaque && value.host instanceof UrlValue ? read(value.host.url) : noSuchOverload
}

function queryOf(url: GoUrl): Value {
  const entries = new Map<string | number | bigint | boolean, readonly [Value, Value]>()
  for (const [name, values] of url.query) {
    const key = mapKey(name)
    if (key !== undefined) entries.set(key, [name, new ArrayList(values)])
  }
  return new EntryMap(entries)
}

export const urlsLibrary: Library = {
  name: 'k8s.urls',
  types: [cel.url],
  overloads: [
    define('url(string): URL', parse, traverseFirst),
    define('isURL(string): bool', (text) => typeof text === 'string' && parseGoUrl(text).ok, traverseFirst),
    define(
      'URL.getScheme(): string',
      get((url) => url.scheme),
    ),
    define(
      'URL.getHost(): string',
      get((url) => url.host),
    ),
    define(
      'URL.getHostname(): string',
      get((url) => url.hostname),
    ),
    define(
      'URL.getPort(): string',
      get((url) => url.port),
    ),
    define(
      'URL.getEscapedPath(): string',
      get((url) => url.escapedPath),
    ),
    define('URL.getQuery(): map(string, list(string))', get(queryOf)),
  ],
}
