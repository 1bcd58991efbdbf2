/**
 * A process that commits without pause is killed at seeded moments, again and again on one directory. What it
 * acknowledged is there afterwards, whole; what it did not is there whole or not at all.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Chance, temporaryFolder } from './support.ts'

const seed = 77_003
const kills = 50
const committers = 24
const child = fileURLToPath(new URL('./kill-child.js', import.meta.url))

interface Life {
  /** Last number of each committer that was found at the start. */
  readonly found: Map<number, number>
  /** Last number of each committer that was acknowledged. */
  readonly acknowledged: Map<number, number>
  readonly complaints: string[]
}

/** Runs the child and kills it once it has acknowledged so many commits. */
async function live(dataDir: string, acknowledgedBeforeKill: number): Promise<Life> {
  const life: Life = { found: new Map(), acknowledged: new Map(), complaints: [] }
  const running = spawn(process.execPath, [child, dataDir, String(committers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(running, 'exit')
  let left = acknowledgedBeforeKill
  for await (const line of createInterface({ input: running.stdout })) {
    const found = /^found (\d+) (\d+)$/.exec(line)
    const acknowledged = /^(\d+) (\d+)$/.exec(line)
    if (found !== null) life.found.set(Number(found[1]), Number(found[2]))
    else if (acknowledged !== null) {
      life.acknowledged.set(Number(acknowledged[1]), Number(acknowledged[2]))
      left--
    } else if (line !== 'opened') life.complaints.push(line)
    // 0: as soon as it is open. The pipe holds more than was read: the moment itself is anyone's guess.
    if (left <= 0 && (line === 'opened' || acknowledged !== null)) running.kill('SIGKILL')
  }
  await exited
  return life
}

t.test(`killed ${kills} times in a row, seed ${seed}`, async (t) => {
  const chance = new Chance(seed)
  const dataDir = temporaryFolder(t)
  let acknowledged = new Map<number, number>()
  let total = 0
  for (let kill = 0; kill <= kills; kill++) {
    const life = await live(dataDir, chance.pick([0, 1, 30, 300, 1500]))
    t.same(life.complaints, [], `life ${kill}: nothing half visible, nothing corrupt`)
    t.equal(life.found.size, committers, `life ${kill}: every committer was looked at`)
    for (const [committer, number] of life.found) {
      const before = acknowledged.get(committer) ?? 0
      // One commit of each committer may be under way when the process dies.
      if (number < before || number > before + 1) {
        t.fail(`life ${kill}, committer ${committer}: acknowledged ${before}, found ${number}`)
      }
    }
    acknowledged = new Map([...life.found, ...life.acknowledged])
    total = [...acknowledged.values()].reduce((sum, number) => sum + number, 0)
  }
  t.ok(total > kills * 10, `${total} commits were acknowledged`)
})
