import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../house/sources.ts'

t.test('the example in the documentation is the one that runs', (t) => {
  const page = readFileSync(join(root, 'docs/embedding.md'), 'utf8')
  const example = readFileSync(join(root, 'test/workers/embedding-example.test.ts'), 'utf8')
  t.ok(page.includes(`\`\`\`ts\n${example.replace("'../../workers/embed.ts'", "'cluster-apiserver'")}\`\`\``))
  t.end()
})
