/**
 * Transcripts: `scenarios/*.scenario.txt` hold comments, commands and, after each block of commands, what they led to.
 * `SCENARIOS=rewrite` records them anew; the reader reviews the difference.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../../house/sources.ts'
import { createCluster } from './cluster.ts'

const folder = join(root, 'test/store/raft/scenarios')
const files = readdirSync(folder).filter((name) => name.endsWith('.scenario.txt'))

/** The transcript with the output that its commands have now. */
function replayed(text: string): string {
  const cluster = createCluster()
  const blocks = text.trimEnd().split('\n\n')
  return `${blocks.map((block) => replayedBlock(block, (line) => cluster.run(line))).join('\n\n')}\n`
}

function replayedBlock(block: string, run: (line: string) => readonly string[]): string {
  const lines = block.split('\n')
  const end = lines.indexOf('----')
  const commands = end < 0 ? lines : lines.slice(0, end)
  const output = commands.filter((line) => !line.startsWith('#')).flatMap(run)
  return [...commands, ...(output.length > 0 ? ['----', ...output] : [])].join('\n')
}

t.ok(files.length > 0, 'there are transcripts')

for (const name of files) {
  t.test(name.replace('.scenario.txt', '').replaceAll('_', ' '), (t) => {
    const path = join(folder, name)
    const recorded = readFileSync(path, 'utf8')
    const now = replayed(recorded)
    if (process.env['SCENARIOS'] === 'rewrite') writeFileSync(path, now)
    else t.equal(now, recorded)
    t.end()
  })
}
