/** The files of LevelDB, read by our own eyes: what is whole, what is a torn end, what is damage. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import t from 'tap'
import { maskedCrc32c } from '../../../store/disk/crc32c.ts'
import { scanLog } from '../../../store/disk/log-format.ts'
import { readManifest } from '../../../store/disk/manifest.ts'
import { snappyUncompress } from '../../../store/disk/snappy.ts'
import { checkTable } from '../../../store/disk/table.ts'
import { Chance, temporaryFolder } from '../support.ts'

const types = { full: 1, first: 2, middle: 3, last: 4 } as const

function fragment(type: keyof typeof types, data: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(6), Buffer.from([types[type]]), data])
  bytes.writeUInt32LE(maskedCrc32c(bytes, 6, bytes.length), 0)
  bytes.writeUInt16LE(data.length, 4)
  return bytes
}

const a = fragment('full', Buffer.from('record a'))
const b = fragment('full', Buffer.from('record b, longer'))
/** Fills the first block but for `left` bytes. */
const block = (left: number): Buffer => fragment('full', Buffer.alloc(32_768 - 7 - left, 'x'))

function changed(bytes: Buffer, at: number, to: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = to
  return copy
}

for (const [what, file, expected, records] of [
  ['an empty file', Buffer.alloc(0), 'complete', 0],
  ['two records', Buffer.concat([a, b]), 'complete', 2],
  [
    'a record in pieces',
    Buffer.concat([block(50), fragment('first', Buffer.alloc(43)), fragment('last', a)]),
    'complete',
    2,
  ],
  ['filler at the end of a block', Buffer.concat([block(5), Buffer.alloc(5), a]), 'complete', 2],
  [
    'an empty fragment that fills a block',
    Buffer.concat([block(7), fragment('first', Buffer.alloc(0)), fragment('last', a)]),
    'complete',
    2,
  ],
  ['a cut record', Buffer.concat([a, b.subarray(0, -1)]), 'torn at 15', 1],
  ['a cut head', Buffer.concat([a, b.subarray(0, 3)]), 'torn at 15', 1],
  ['zeros at the end', Buffer.concat([a, Buffer.alloc(100)]), 'torn at 15', 1],
  ['a first piece without the rest', Buffer.concat([a, fragment('first', Buffer.alloc(9))]), 'torn at 31', 1],
  ['a flipped byte in the last record', Buffer.concat([a, changed(b, 9, 0)]), 'corrupt at 15', 1],
  ['a flipped byte before the end', Buffer.concat([changed(a, 9, 0), b]), 'corrupt at 0', 0],
  ['zeros before the end', Buffer.concat([a, Buffer.alloc(20), b]), 'corrupt at 15', 1],
  ['a longer length in the last record', Buffer.concat([a, changed(b, 4, 200)]), 'corrupt at 15', 1],
  ['a longer length before the end', Buffer.concat([changed(a, 4, 200), b]), 'corrupt at 0', 0],
  ['a length beyond the block', Buffer.concat([changed(a, 5, 255), b]), 'corrupt at 0', 0],
  ['a shorter length', Buffer.concat([a, changed(b, 4, 1)]), 'corrupt at 15', 1],
  ['a last piece without a first', Buffer.concat([a, fragment('last', Buffer.alloc(9))]), 'corrupt at 15', 1],
  [
    'a whole record between pieces',
    Buffer.concat([fragment('first', Buffer.alloc(9)), a]),
    'corrupt at 16',
    0,
  ],
] as const) {
  t.test(`log: ${what} is ${expected}`, (t) => {
    let found = 0
    const scan = scanLog(file, () => found++)
    t.equal(scan.end === 'complete' ? scan.end : `${scan.end} at ${scan.offset}`, expected)
    t.equal(found, records)
    t.end()
  })
}

t.test('snappy: literals, copies of each kind, overlap; damage is noticed', (t) => {
  const compressed = Buffer.from([16, 0b1100, 97, 98, 99, 100, 0b1, 4, 0b1110, 1, 0, 0b1111, 8, 0, 0, 0])
  t.equal(snappyUncompress(compressed)?.toString(), 'abcdabcdddddabcd')
  for (let length = 0; length < compressed.length; length++) {
    t.equal(snappyUncompress(compressed.subarray(0, length)), undefined)
  }
  t.equal(snappyUncompress(Buffer.from([4, 0b1, 4])), undefined, 'a copy from before the start')
  t.end()
})

t.test('the files that LevelDB writes are whole, and no byte of a table may differ', async (t) => {
  const chance = new Chance(5)
  const folder = temporaryFolder(t)
  for (const part of [1, 2]) {
    const level = new Level<string, Buffer>(folder, { valueEncoding: 'buffer' })
    for (let batch = 0; batch < 20; batch++) {
      const keys = Array.from(
        { length: 50 },
        () => `${'a common prefix/'.repeat(3)}${part}/${chance.below(1e6)}`,
      )
      await level.batch(keys.map((key) => ({ type: 'put', key, value: chance.bytes(chance.below(60)) })))
    }
    await level.put('large', Buffer.alloc(100_000, 'large'))
    await level.close()
  }
  const names = readdirSync(folder)
  const read = (pattern: RegExp): Buffer[] =>
    names.filter((name) => pattern.test(name)).map((name) => readFileSync(join(folder, name)))
  const logs = read(/\.log$/)
  let records = 0
  for (const log of logs)
    t.same(
      scanLog(log, () => records++),
      { end: 'complete' },
    )
  t.equal(records, 21)
  const [manifest] = read(/^MANIFEST/).map(readManifest)
  t.same(manifest?.scan, { end: 'complete' })
  const tables = names.filter((name) => name.endsWith('.ldb'))
  t.same(
    [...(manifest?.manifest?.tables ?? [])].map(([number, size]) => [`${number}`.padStart(6, '0'), size]),
    tables.map((name) => [name.slice(0, -4), readFileSync(join(folder, name)).length]),
  )
  for (const table of read(/\.ldb$/)) {
    t.equal(checkTable(table), undefined)
    const unused = new Set<number>()
    for (let i = 0; i < 300; i++) {
      const at = chance.below(table.length)
      if (checkTable(changed(table, at, (table[at] ?? 0) ^ 16)) === undefined) unused.add(at)
      if (checkTable(table.subarray(0, at)) === undefined) t.fail(`cut at ${at} passes`)
    }
    // The footer pads its two handles with bytes that nobody reads.
    t.ok([...unused].every((at) => at >= table.length - 48))
  }
})
