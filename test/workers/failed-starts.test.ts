/** Starts that fail, of real processes: exit code and message. */

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { root } from '../house/sources.ts'
import { startServerProcess, temporaryDirectory } from '../support/server-process.ts'

const main = join(root, 'dist/bundle/main.js')

function runToEnd(t: Test, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

t.test('starts that fail say why', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '0'] })
  const dataDir = temporaryDirectory(t)
  const tokens = join(dataDir, 'tokens.csv')
  writeFileSync(tokens, 'a,b,c\nx\n')
  const free = ['--secure-port', '0', '--bind-address', '127.0.0.1', '--workers', '1']
  const rows: readonly [string, readonly string[], number, RegExp][] = [
    [
      'the port is in use',
      ['--data-dir', dataDir, '--bind-address', '127.0.0.1', '--secure-port', String(server.port)],
      1,
      new RegExp(`127\\.0\\.0\\.1:${server.port} is in use by another process`),
    ],
    [
      'the data directory is in use',
      ['--data-dir', server.dataDir, '--api-dialect', 'kubernetes', ...free],
      1,
      /in use|another process|lock/i,
    ],
    [
      'a bad token file',
      ['--data-dir', dataDir, '--token-auth-file', tokens, ...free],
      1,
      /tokens\.csv:2: must have/,
    ],
    [
      'a bad runtime config',
      ['--data-dir', dataDir, '--runtime-config', 'no/such', ...free],
      1,
      /runtime-config: unknown group version or resource/,
    ],
    [
      'a missing file',
      ['--data-dir', dataDir, '--client-ca-file', '/absent', ...free],
      1,
      /--client-ca-file \/absent: /,
    ],
    ['an unknown flag', ['--prot', '1'], 2, /unknown flag --prot/],
    ['--help', ['--help'], 0, /Usage:/],
    ['--version', ['--version'], 0, /^cluster-apiserver \d+\.\d+\.\d+ \(API 1\.30\)\n$/],
  ]
  for (const [name, args, code, output] of rows) {
    const result = await runToEnd(t, args)
    t.equal(result.code, code, `${name}: exit code; it printed ${result.output.slice(0, 300)}`)
    t.match(result.output, output, name)
  }
  t.equal(await server.stop(), 0)
})

t.test('a data directory belongs to its dialect', async (t) => {
  const server = await startServerProcess(t, { args: ['--workers', '0'] })
  t.equal(await server.stop(), 0)
  const before = readFileSync(join(server.dataDir, 'pki/serving.crt'), 'utf8')
  const { code, output } = await runToEnd(t, [
    ...['--data-dir', server.dataDir, '--api-dialect', 'cluster', '--workers', '0'],
    ...['--secure-port', '0', '--bind-address', '127.0.0.1'],
  ])
  t.equal(code, 1)
  t.match(output, /kubernetes/)
  t.equal(readFileSync(join(server.dataDir, 'pki/serving.crt'), 'utf8'), before, 'nothing was changed')
})
