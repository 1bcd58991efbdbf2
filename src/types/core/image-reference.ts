/**
 * References to images: `registry.example:5000/path/name:tag@sha256:…`.
 *
 * Source: OCI distribution specification, "Pulling manifests"; the grammar of references that its clients share.
 */

const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const hostPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const host = `(?:${hostPart}(?:\\.${hostPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}'
const reference = new RegExp(
  `^((?:${host}/)?${part}(?:/${part})*)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(@${digest})?$`,
)
const nameLengthMax = 255
const bareId = /^[a-f0-9]{64}$/

/** The tag; `latest` where there is neither tag nor digest; '' where there is none, or this is no reference. */
export function imageTag(image: string): string {
  const match = bareId.test(image) ? null : reference.exec(image)
  if (match === null || (match[1] ?? '').length > nameLengthMax) return ''
  const [, , tag, bytes] = match
  return tag ?? (bytes === undefined ? 'latest' : '')
}
