import type { SnapshotReceiver, Transport } from '../../../store/member/transport.ts'
import type { PeersOptions } from '../../../store/peers/peers.ts'
import { describeView, stateRecords } from '../../../store/peers/state-records.ts'
import type { Life } from './life.ts'

interface Receiving {
  readonly life: Life
  readonly options: PeersOptions
}

interface StateStream<Place extends Receiving> {
  readonly message: Parameters<Transport['sendSnapshot']>[0]
  readonly view: Parameters<Transport['sendSnapshot']>[1]
  /** Of the sender. */
  readonly life: Life
  /** How to break off each transfer that is under way. */
  readonly transfers: Set<() => void>
  carry(arrive: (there: Place) => void, lost: () => void): void
  carryBack(there: Place, arrive: () => void, lost: () => void): void
  isRight(there: Place): boolean
}

/** Sends a state, one trip for some records; true = it has arrived whole. Rejects when it broke off. */
export async function streamState<Place extends Receiving>(stream: StateStream<Place>): Promise<boolean> {
  const { message, view, life, transfers } = stream
  const snapshot = await describeView(view)
  if (snapshot === undefined || snapshot.index < message.snapshot.index) return false
  let receiver: SnapshotReceiver | undefined
  let place: Place | undefined
  let broken = false
  const end = () => {
    if (broken) return
    broken = true
    place?.life.after(0, () => void receiver?.abandon())
  }
  transfers.add(end)
  /** One trip there and back; rejects when it got lost or nothing came back for long. */
  const trip = (act: (there: Place) => Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      const lost = () => {
        end()
        life.after(0, () => reject(new Error('the transfer broke off')))
      }
      life.after(2000, lost)
      let arrived = false
      stream.carry((there) => {
        if (arrived || broken) return
        arrived = true
        if (!stream.isRight(there) || (place !== undefined && place !== there)) lost()
        else void act(there).then(() => stream.carryBack(there, resolve, lost), lost)
      }, lost)
    })
  try {
    await trip(async (there) => {
      place = there
      receiver = await there.options.events.onSnapshot({ ...message, snapshot })
      if (receiver === undefined) throw new Error('not wanted now')
    })
    for await (const records of stateRecords(view)) await trip(async () => receiver?.write(records))
    await trip(async () => receiver?.complete({ ...message, snapshot }))
    broken = true
    return true
  } finally {
    end()
    transfers.delete(end)
  }
}
