/**
 * Build step: compiles the `.proto` sources under `src/types/` into the JSON files that the server loads.
 *
 *     node <outdir>/scripts/compile-schemas.js [directory of the sources]
 *
 * Sources: the directory given; else `src/types` of the nearest directory above this script that has it; else of the
 * working directory. Target: `src/types/schemas/` beside the compiled code, so the files are found from there.
 * Files that would not change are left alone. Exit 1 with one line for each problem.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { descriptionsFile, packageFile } from '../src/schema/packed.ts'
import { compileSources } from '../src/schema/source.ts'

const here = dirname(fileURLToPath(import.meta.url))

function sourceDirectory(): string {
  const given = process.argv[2]
  if (given !== undefined) return given
  for (let at = here; dirname(at) !== at; at = dirname(at)) {
    const candidate = join(at, 'src', 'types')
    if (existsSync(join(candidate, 'options.proto'))) return candidate
  }
  return join(process.cwd(), 'src', 'types')
}

function readPackages(directory: string): Map<string, string> {
  const packages = new Map<string, string>()
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue
    for (const file of readdirSync(join(directory, entry.name))) {
      if (!file.endsWith('.proto')) continue
      const text = readFileSync(join(directory, entry.name, file), 'utf8')
      packages.set(`${entry.name}/${file.slice(0, -'.proto'.length)}`, text)
    }
  }
  return packages
}

function writeIfChanged(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  writeFileSync(file, text)
}

const sources = sourceDirectory()
const compiled = compileSources({
  options: readFileSync(join(sources, 'options.proto'), 'utf8'),
  packages: readPackages(sources),
})
if (!compiled.ok) {
  for (const problem of compiled.failure) console.error(problem)
  process.exit(1)
}
const target = join(here, '..', 'src', 'types', 'schemas')
mkdirSync(target, { recursive: true })
writeIfChanged(join(target, 'index.json'), JSON.stringify(compiled.value.index))
writeIfChanged(join(target, descriptionsFile), JSON.stringify(compiled.value.descriptions))
for (const [id, messages] of compiled.value.packages) {
  writeIfChanged(join(target, packageFile(id)), JSON.stringify(messages))
}
