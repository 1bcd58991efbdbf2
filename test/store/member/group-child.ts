/**
 * A member of a group, to be killed: commits from several committers until it is told to stop (a line on standard
 * input). Lines on standard output: `role <role>` when it changes, `ack <committer> <number>` for each acknowledged
 * commit, `state <revision> <committer>=<number>…` at the end.
 */

import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { systemClock } from '../../../store/clock.ts'
import { key } from '../../../store/contract.ts'
import type { MemberStatus } from '../../../store/member/cluster-messages.ts'
import { openMember } from '../../../store/member/open.ts'
import { everything } from '../support.ts'

const [dataDir = '', name = '', initialCluster = '', committersText = '0', lifeText = ''] =
  process.argv.slice(2)

function say(line: string): void {
  writeSync(1, `${line}\n`)
}

const opened = await openMember({ dataDir, clock: systemClock, replication: { name, initialCluster } })
if (!opened.ok) {
  say(`failed ${opened.failure.message}`)
  process.exit(1)
}
const { store, cluster, onFatal, close } = opened.value
onFatal(({ message }) => say(`failed ${message}`))

let stopping = false
let role = ''

async function tellRole(): Promise<void> {
  const answer = await cluster.run({ method: 'status' })
  // What the method answers.
  const now = answer.ok ? (answer.value as MemberStatus).role : ''
  if (now !== role) say(`role ${now}`)
  role = now
  if (!stopping) systemClock.after(20, () => void tellRole())
}

/** Each committer of each life has a key of its own, whose number rises. */
async function commitUntilStopped(committer: string): Promise<void> {
  for (let number = 1; !stopping; number++) {
    const value = Buffer.from(String(number).padEnd(500, '.'))
    const result = await store.commit({ guards: [], ops: [{ type: 'put', key: key(committer), value }] })
    if (result.ok) say(`ack ${committer} ${number}`)
    else if (result.failure.code !== 'Unknown' && result.failure.code !== 'Unavailable') {
      say(`failed ${JSON.stringify(result.failure)}`)
    }
  }
}

void tellRole()
// Holds the process: its timers do not.
const input = createInterface({ input: process.stdin })
const committers = Array.from({ length: Number(committersText) }, (_, i) =>
  commitUntilStopped(`${name}/${lifeText}/${i}`),
)
for await (const line of input) {
  if (line === 'stop') {
    stopping = true
    await Promise.all(committers)
    say('stopped')
  } else if (line === 'state') {
    await store.readIndex()
    const range = await store.range(everything)
    if (!range.ok) throw new Error(JSON.stringify(range.failure))
    const numbers = range.value.entries.map(
      (entry) => `${entry.key}=${Number.parseInt(String(entry.value), 10)}`,
    )
    say(`state ${range.value.revision} ${numbers.join(' ')}`)
  } else break
}
await close()
process.exit(0)
