/** `snapshot …`: the whole state in one file, and a new cluster from it. */

import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { askMember } from '../../store/member/admin.ts'
import { restoreSnapshot } from '../../store/member/restore.ts'
import { readSnapshotFile, type SnapshotSummary } from '../../store/member/snapshot-file.ts'
import { bytesText, type CommandEnd, done, failed, json, misused } from './io.ts'
import type { Output } from './members.ts'

export async function saveSnapshot(dataDir: string, file: string, output: Output): Promise<CommandEnd> {
  const path = resolve(file)
  if (await exists(path)) return failed(`${path} exists already: nothing was written`)
  const saved = await askMember(dataDir, { method: 'snapshot', path })
  if (!saved.ok) return failed(saved.failure.message)
  return showSnapshot(path, output)
}

export async function showSnapshot(file: string, output: Output): Promise<CommandEnd> {
  const read = await readSnapshotFile(file, async () => {})
  return read.ok ? done(describe(resolve(file), read.value, output)) : failed(read.failure.message)
}

interface RestoreRequest {
  readonly file: string
  readonly dataDir: string | undefined
  readonly name: string | undefined
  readonly initialCluster: string | undefined
}

export async function restore(
  { file, dataDir, name, initialCluster }: RestoreRequest,
  output: Output,
): Promise<CommandEnd> {
  if (dataDir === undefined) return misused('snapshot restore needs --data-dir: the directory to make')
  if (name !== undefined && initialCluster === undefined) return misused('--name needs --initial-cluster')
  if (initialCluster !== undefined && name === undefined) {
    return misused(`--initial-cluster needs --name: which of ${initialCluster} the directory is for`)
  }
  const group = name === undefined || initialCluster === undefined ? {} : { group: { name, initialCluster } }
  const restored = await restoreSnapshot({ file, dataDir, ...group })
  if (!restored.ok) return failed(restored.failure.message)
  if (output === 'json') return done(describe(resolve(dataDir), restored.value, output))
  return done(`restored\n${describe(resolve(dataDir), restored.value, output)}`)
}

function describe(path: string, summary: SnapshotSummary, output: Output): string {
  if (output === 'json') return json({ path, ...summary })
  const { dialect, clusterId, revision, records, bytes, hash } = summary
  const rows = [
    ['path', path],
    ['dialect', dialect],
    ['cluster', clusterId ?? '-'],
    ['revision', String(revision)],
    ['records', String(records)],
    ['bytes', bytesText(bytes)],
    ['hash', hash],
  ]
  return rows.map(([name = '', value = '']) => `  ${name.padEnd(9)} ${value}\n`).join('')
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
