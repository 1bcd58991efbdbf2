/** What a start loads: each file is some tenths of a millisecond, and each library memory too, for everybody who starts a server. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
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
  // 586 modules in 31 files when this was written.
  t.ok(own.length < 50, `${own.length} files of ours`)
})
