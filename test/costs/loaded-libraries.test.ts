/** What a start loads: each library is some milliseconds and some hundred kilobytes for everybody who starts a server. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'

t.test('a control plane starts without the libraries that only some requests need', async (t) => {
  const child = fork(fileURLToPath(new URL('loaded-libraries-child.js', import.meta.url)))
  const [urls]: [string[]] = (await once(child, 'message')) as [string[]] // our own child
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
