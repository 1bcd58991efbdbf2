/** What is run is a bundle of the modules that the other tests import: it says so of itself in terms of the sources. */

import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { root } from '../house/sources.ts'
import { temporaryDirectory } from '../support/server-process.ts'

const bundle = join(root, 'dist/bundle')

t.test('every file has a map to sources that are there', (t) => {
  const files = readdirSync(bundle).filter((file) => file.endsWith('.js'))
  const named = new Set<string>()
  for (const file of files) {
    const map: { sources: string[] } = JSON.parse(readFileSync(join(bundle, `${file}.map`), 'utf8'))
    for (const source of map.sources) named.add(join(bundle, source))
  }
  t.same(
    [...named].filter((source) => !existsSync(source)),
    [],
  )
  for (const source of ['workers/embed.ts', 'workers/worker.ts', 'src/pipeline/conductor.ts']) {
    t.ok(named.has(join(root, source)), source)
  }
  t.end()
})

t.test('a trace names the sources', (t) => {
  const child = fileURLToPath(new URL('traces-child.js', import.meta.url))
  const { stderr } = spawnSync(process.execPath, [child], { cwd: root, encoding: 'utf8' })
  t.match(stderr, 'RangeError: too far\n    at fail (test/workers/traces-child.ts:7:9)\n')
  t.end()
})

const use = `
const { startControlPlane } = await import(process.argv[1])
const { url, token, ca, stop } = await startControlPlane()
const { get } = await import('node:https')
const status = await new Promise((resolve) =>
  get(url + '/openapi/v3/apis/apps/v1', { ca, headers: { authorization: 'Bearer ' + token } }, (response) => {
    response.resume()
    resolve(response.statusCode)
  }),
)
await stop()
process.stdout.write(String(status))
`

t.test('what is packed is enough', (t) => {
  const { files }: { files: string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const elsewhere = temporaryDirectory(t)
  for (const file of ['package.json', ...files.filter((path) => !path.includes('*'))]) {
    cpSync(join(root, file), join(elsewhere, file), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(elsewhere, 'node_modules'))
  const run = (...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return stdout + stderr
  }
  t.match(
    run(join(elsewhere, 'dist/bundle/main.js'), '--version'),
    /^cluster-apiserver \d+\.\d+\.\d+ \(API 1\.30\)\n$/,
  )
  t.equal(run('--input-type=module', '-e', use, join(elsewhere, 'dist/bundle/embed.js')), '200')
  t.end()
})
