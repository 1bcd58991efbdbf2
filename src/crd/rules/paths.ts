/** Paths of values in messages: `spec.list[0].name`; '' = the whole object. */

export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** The whole object has a name of its own. */
export function shownPath(path: string): string {
  return path === '' ? '<nil>' : path
}
