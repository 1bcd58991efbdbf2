/** Reads the compiled schemas that lie beside the compiled code. The build makes them: `scripts/compile-schemas.ts`. */

import { existsSync, readFileSync } from 'node:fs'
import {
  descriptionsFile,
  type PackedDescriptions,
  type PackedIndex,
  type PackedPackage,
  packageFile,
} from './packed.ts'

const directory = directoryAbove(import.meta.url)

/** One folder up from this file as it was compiled; beside the folder of the bundle that holds it. */
function directoryAbove(from: string): URL {
  const beside = new URL('../types/schemas/', from)
  return existsSync(beside) ? beside : new URL('../src/types/schemas/', from)
}

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, directory), 'utf8'))
}

/** A bug of the installation (throws) when the file is missing. */
export function loadIndex(): PackedIndex {
  return read('index.json') as PackedIndex
}

/** Reads what the build has packed, from beside the code. Throws where there is no such package. */
export function loadPackage(packageId: string): PackedPackage {
  return read(packageFile(packageId)) as PackedPackage
}

let descriptions: PackedDescriptions | undefined

/** Read when first asked for, then kept: a server that nobody asks for OpenAPI never reads it. */
export function loadDescriptions(): PackedDescriptions {
  descriptions ??= read(descriptionsFile) as PackedDescriptions
  return descriptions
}
