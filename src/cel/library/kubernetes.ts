/** The libraries of an expression in Kubernetes 1.30. */

import { listsLibrary, setsLibrary } from './extensions/lists.ts'
import { networkLibrary } from './extensions/network.ts'
import { optionalLibrary } from './extensions/optional.ts'
import { quantityLibrary } from './extensions/quantity.ts'
import { regexLibrary } from './extensions/regex.ts'
import { stringsLibrary } from './extensions/strings.ts'
import { urlsLibrary } from './extensions/urls.ts'
import type { Library } from './library.ts'
import { standardLibrary } from './standard.ts'

/** What the release before knows too: an object written now can be served by it. */
export const compatibleLibraries: readonly Library[] = [
  standardLibrary,
  optionalLibrary,
  stringsLibrary,
  listsLibrary,
  setsLibrary,
  regexLibrary,
  urlsLibrary,
  quantityLibrary,
]

export const kubernetesLibraries: readonly Library[] = [...compatibleLibraries, networkLibrary]
