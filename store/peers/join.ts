import type { Clock } from '../contract.ts'
import { type PeerAddress, parseAddress } from './address.ts'
import { Channel } from './channel.ts'
import { peerVersion } from './frames.ts'
import { dial, type PeerTls } from './sockets.ts'

export interface JoinOptions {
  readonly addresses: readonly string[]
  readonly name: string
  readonly tls: PeerTls | undefined
  readonly clock: Clock
}

/** Asks the members of a running cluster, one after the other, what a new member of this name needs to know. */
export async function askToJoin(
  options: JoinOptions,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const problems: string[] = []
  for (const text of options.addresses) {
    const address = parseAddress(text)
    if (!address.ok) continue
    const answer = await askOne(address.value, options)
    if (answer.ok) return answer
    problems.push(`${text}: ${answer.text}`)
  }
  return { ok: false, text: problems.join('; ') || 'no other member is named' }
}

const answerMs = 3000

function askOne(
  address: PeerAddress,
  { name, tls, clock }: JoinOptions,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  return new Promise((resolve) => {
    const channel = new Channel(dial(address, tls), {
      onFrame(frame) {
        if (frame.kind === 'welcome') resolve({ ok: true, text: frame.text })
        else if (frame.kind === 'refused') resolve({ ok: false, text: frame.text })
        channel.close('answered')
      },
      onClosed: (reason) => resolve({ ok: false, text: reason }),
    })
    clock.after(answerMs, () => channel.close('no answer'))
    channel.send({
      kind: 'hello',
      version: peerVersion,
      purpose: 'join',
      clusterId: '',
      from: 0,
      to: 0,
      name,
      address: '',
    })
  })
}
