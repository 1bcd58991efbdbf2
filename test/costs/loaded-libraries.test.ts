/** What a start loads: each file is some tenths of a millisecond, and each library memory too, for everybody who starts a server. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { root } from '../house/sources.ts'
import { temporaryDirectory } from '../support/server-process.ts'

/** URLs of modules, and paths where they are CommonJS, those of Node among them. */
interface Loaded {
  readonly byImport: readonly string[]
  readonly byStart: readonly string[]
}

async function loadedIn(dataDir: string): Promise<Loaded> {
  const child = fork(fileURLToPath(new URL('loaded-libraries-child.js', import.meta.url)), [dataDir])
  const [loaded]: [Loaded] = (await once(child, 'message')) as [Loaded] // our own child
  return loaded
}

const ownFiles = (urls: readonly string[]): readonly string[] => urls.filter((url) => url.includes('/dist/'))

function libraries(urls: readonly string[]): readonly string[] {
  const found = urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])
  return [...new Set(found)].sort()
}

t.test('the package is a few files, and a start needs few libraries', async (t) => {
  const dataDir = temporaryDirectory(t)
  const first = await loadedIn(dataDir)
  t.same(
    ownFiles(first.byStart).map((url) => url.replace(/.*\//, '')),
    ['x509.cjs'],
    'the first start in a directory makes certificates, with a library that is one file',
  )
  t.same(libraries(first.byStart), ['reflect-metadata'])

  const { byImport, byStart } = await loadedIn(dataDir)
  t.same(
    libraries(byImport),
    [
      'abstract-level',
      'classic-level',
      'level',
      'level-supports',
      'level-transcoder',
      'maybe-combine-errors',
      'module-error',
      'node-gyp-build',
      'sorted-btree',
    ],
    'the store and its trees; not YAML, WebSockets, metrics of Node, certificates, tokens, patterns',
  )
  t.same([...libraries(byStart), ...ownFiles(byStart)], [], 'a further start loads nothing more')
  const own = ownFiles(byImport)
  t.match(own.join(), /\/dist\/bundle\/embed\.js/)
  // 606 modules in 18 files when this was written; with custom resources, whose parts load on demand, 30.
  t.ok(own.length < 45, `${own.length} files of ours`)
})

/** Paths below `dist/` of what a module imports, directly or not; what is imported on demand is not followed. */
function importedBy(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found
  found.add(path)
  const text = readFileSync(join(root, 'dist', path), 'utf8')
  for (const [, target = ''] of text.matchAll(/^(?:import|export) .*'(\.{1,2}\/[^']+)';$/gm)) {
    importedBy(join(dirname(path), target), found)
  }
  return found
}

t.test('a supervisor with workers loads the store, and little of the API', (t) => {
  const modules = [...importedBy('workers/supervisor.js')]
  t.same(
    modules.filter((path) => /^src\/(apply|codec|patch|pipeline|schema|storage)\//.test(path)),
    [],
  )
  // 141 when this was written.
  t.ok(modules.length < 180 && modules.length > 100, `${modules.length} modules`)
  t.end()
})
