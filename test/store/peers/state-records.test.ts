/** A state on its way to another member; found by the simulation of whole members. */
import { join } from 'node:path'
import t from 'tap'
import { key } from '../../../store/contract.ts'
import { openDatabase } from '../../../store/disk/database.ts'
import { contentBytes, encodeRecordKey, recordCrc, writeContent } from '../../../store/mvcc/record.ts'
import { stateRecords } from '../../../store/peers/state-records.ts'
import { temporaryFolder } from '../support.ts'

t.test('a damaged record is not sent on', async (t) => {
  const database = await openDatabase(join(temporaryFolder(t), 'state'))
  t.teardown(() => database.close())
  const content = Buffer.alloc(contentBytes(1, 5, 0))
  writeContent(content, 0, key('a'), Buffer.from('value'), 0)
  const record = encodeRecordKey({ revision: 1, op: 0, crc: recordCrc(1, 0, content) })

  async function sent(): Promise<string> {
    const view = database.view()
    const told: string[] = []
    try {
      for await (const records of stateRecords(view)) told.push(`${records.length}`)
    } catch (error) {
      told.push(error instanceof Error ? error.message : 'an error')
    } finally {
      await view.close()
    }
    return told.join(', ')
  }

  await database.write([{ type: 'put', key: record, value: content }], { sync: false })
  t.equal(await sent(), '0, 1', 'two heads that are not there, and the record')
  content.writeUInt8(0x21, content.length - 1)
  await database.write([{ type: 'put', key: record, value: content }], { sync: false })
  t.equal(await sent(), '0, record 1/0: checksum does not match')
})
