/** The engine is loaded when a first expression needs it, not at every start: its 40 modules take 30 ms. */

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Compiled modules that come with this one, itself included. Imports of types are gone by then. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const open = [join(root, entry)]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (loaded.has(path)) continue
    loaded.add(path)
    const text = readFileSync(path, 'utf8')
    for (const [, target = ''] of text.matchAll(/^(?:import|export|\} from)\b[^;]*?'(\.{1,2}\/[^']+)'/gm)) {
      open.push(join(dirname(path), target))
    }
  }
  return loaded
}

t.test('configuration without expressions does not load the engine', (t) => {
  const loaded = loadedWith('src/config/external-access.js')
  t.ok(loaded.has(join(root, 'src/config/reloaded-authentication.js')), 'what reads the files is there')
  t.notOk(loaded.has(join(root, 'src/cel/expression.js')), 'the engine is not')
  t.ok(loadedWith('src/config/authentication-config.js').has(join(root, 'src/cel/expression.js')))
  t.end()
})
