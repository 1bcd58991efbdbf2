export interface RequestTarget {
  readonly path: string
  readonly query: string
}

/**
 * Path and query of a request line's target (RFC 9112, section 3.2): the origin form, or the absolute form that
 * proxies send. undefined = none of them (`*`, an authority, junk).
 */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  let start = 0
  if (target.charCodeAt(0) !== slash) {
    const authority = /^https?:\/\/[^/?#]*/i.exec(target)
    if (authority === null) return undefined
    start = authority[0].length
  }
  const mark = target.indexOf('?', start)
  const path = mark === -1 ? target.slice(start) : target.slice(start, mark)
  return { path: path === '' ? '/' : path, query: mark === -1 ? '' : target.slice(mark + 1) }
}

const slash = 47
