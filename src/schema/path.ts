/** Paths as people write them: `spec.containers[0].name`, `metadata.labels[a.b/c]`. */

export type PathSegment =
  | string
  | number
  /** A key of a map. */
  | { readonly key: string }

/** Writes the first `length` segments. '' for none. */
export function formatPath(segments: readonly PathSegment[], length = segments.length): string {
  let text = ''
  for (let i = 0; i < length; i++) {
    const segment = segments[i]
    if (typeof segment === 'string') text += text === '' ? segment : `.${segment}`
    else if (typeof segment === 'number') text += `[${segment}]`
    else if (segment !== undefined) text += `[${segment.key}]`
  }
  return text
}
