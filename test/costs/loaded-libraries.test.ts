/** What a start loads: each library is some milliseconds and some hundred kilobytes for everybody who starts a server. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { temporaryDirectory } from '../support/server-process.ts'

/** URLs of the modules that a process loads for a control plane in this directory. */
async function loadedIn(dataDir: string): Promise<readonly string[]> {
  const child = fork(fileURLToPath(new URL('loaded-libraries-child.js', import.meta.url)), [dataDir])
  const [urls]: [string[]] = (await once(child, 'message')) as [string[]] // our own child
  return urls
}

t.test('a control plane starts without the libraries that only some requests need', async (t) => {
  const dataDir = temporaryDirectory(t)
  t.match((await loadedIn(dataDir)).join(), /@peculiar\/x509/, 'the first one makes certificates')
  const urls = await loadedIn(dataDir)
  const libraries = urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])
  t.same(
    [...new Set(libraries)].sort(),
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
  const own = urls.filter((url) => url.includes('/dist/'))
  // 586 when this was written.
  t.ok(own.length < 700, `${own.length} modules of ours`)
})
