/**
 * A process to be killed: opens the directory, checks it, then commits from many committers until it dies. Each
 * transaction writes one number to three keys of its committer. Lines on standard output: `found <committer> <number>` for
 * what was there, `opened`, then `<committer> <number>` for each acknowledged commit.
 */

import { writeSync } from 'node:fs'
import { systemClock } from '../../store/clock.ts'
import { key, keyAfterPrefix } from '../../store/contract.ts'
import { openMember } from '../../store/member/open.ts'

const [dataDir = '', committersText = '0'] = process.argv.slice(2)
const committers = Number(committersText)
const parts = ['x', 'y', 'z']

function say(line: string): void {
  writeSync(1, `${line}\n`)
}

const opened = await openMember({ dataDir, clock: systemClock, historyMs: 200, recentBytesMax: 100_000 })
if (!opened.ok) {
  say(`failed ${JSON.stringify(opened.failure)}`)
  process.exit(1)
}
const { store } = opened.value

/** Several committers die at different sizes of value: some records span blocks of the log. */
function valueFor(committer: number, number: number): Buffer {
  return Buffer.from(`${number} `.padEnd(20 + committer * 300, 'v'))
}

async function found(committer: number): Promise<number> {
  const prefix = `${committer}/`
  const range = await store.range({ start: key(prefix), end: keyAfterPrefix(prefix) })
  if (!range.ok) throw new Error(JSON.stringify(range.failure))
  const numbers = range.value.entries.map(({ value }) => Number.parseInt(value.toString(), 10))
  const [first = 0] = numbers
  const whole = range.value.entries.every(({ value }) => value.equals(valueFor(committer, first)))
  const same = new Set(range.value.entries.map(({ modRevision }) => modRevision)).size <= 1
  if ((numbers.length !== parts.length && numbers.length !== 0) || !whole || !same) {
    say(`half ${committer} ${numbers.join(',')}`)
  }
  return first
}

async function commitForever(committer: number, from: number): Promise<void> {
  for (let number = from + 1; ; number++) {
    const value = valueFor(committer, number)
    const ops = parts.map((part) => ({ type: 'put', key: key(`${committer}/${part}`), value }) as const)
    const result = await store.commit({ guards: [], ops })
    if (!result.ok) throw new Error(JSON.stringify(result.failure))
    say(`${committer} ${number}`)
  }
}

const last = await Promise.all(Array.from({ length: committers }, (_, i) => found(i)))
for (const [committer, number] of last.entries()) say(`found ${committer} ${number}`)
say('opened')
await Promise.all(last.map((number, committer) => commitForever(committer, number)))
