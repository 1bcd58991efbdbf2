/**
 * The network between members: every member is known to the others by the address of a proxy, which passes bytes on to
 * where the member listens. A connection belongs to the pair of members at its ends, so that a cut can be of one
 * direction or both. Who connects is found by the process that holds the other end of the socket (Linux).
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

interface LinkEnds {
  readonly from: string
  readonly to: string
}

/** `refuse`: connections break at once, as by a firewall that rejects; `drop`: bytes go nowhere and nobody is told. */
type CutManner = 'refuse' | 'drop'

export interface Links {
  /** Cuts every link for which `matches` holds, until `heal`. */
  cut(manner: CutManner, matches: (ends: LinkEnds) => boolean): void
  heal(): void
  close(): Promise<void>
}

interface LinkedMember {
  readonly name: string
  /** What the others connect to. */
  readonly port: number
  /** Where the member listens. */
  readonly listenPort: number
}

interface Connection {
  readonly ends: LinkEnds
  readonly near: Socket
  readonly far: Socket
  flows: boolean
}

export async function startLinks(host: string, members: readonly LinkedMember[]): Promise<Links> {
  const connections = new Set<Connection>()
  let cut: { readonly manner: CutManner; readonly matches: (ends: LinkEnds) => boolean } | undefined

  function mannerOf(ends: LinkEnds): CutManner | undefined {
    return cut?.matches(ends) === true ? cut.manner : undefined
  }

  function accept(near: Socket, to: LinkedMember): void {
    near.on('error', () => near.destroy())
    const leader = commandOfSocket(near.remotePort ?? 0, to.port)
    const from = members.find(({ name }) => leader.includes(`--name=${name}`))?.name
    if (from === undefined || mannerOf({ from, to: to.name }) === 'refuse') {
      near.destroy()
      return
    }
    const far = connect({ host, port: to.listenPort, allowHalfOpen: true })
    const connection: Connection = { ends: { from, to: to.name }, near, far, flows: false }
    connections.add(connection)
    far.on('error', () => far.destroy())
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('close', () => {
        other.destroy()
        connections.delete(connection)
      })
    }
    if (mannerOf(connection.ends) === undefined) flow(connection)
  }

  const servers = await Promise.all(members.map((member) => listen(host, member, accept)))
  return {
    cut(manner, matches) {
      cut = { manner, matches }
      for (const connection of connections) {
        if (!matches(connection.ends)) continue
        if (manner === 'drop') hold(connection)
        else connection.near.destroy()
      }
    },
    heal() {
      cut = undefined
      for (const connection of connections) flow(connection)
    },
    async close() {
      for (const { near } of connections) near.destroy()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

function flow(connection: Connection): void {
  if (connection.flows) return
  connection.flows = true
  const { near, far } = connection
  near.pipe(far)
  far.pipe(near)
}

function hold(connection: Connection): void {
  connection.flows = false
  const { near, far } = connection
  near.unpipe(far)
  far.unpipe(near)
  near.pause()
  far.pause()
}

/** A port that was free a moment ago may be taken by a connection that is about to end. */
async function listen(
  host: string,
  member: LinkedMember,
  accept: (socket: Socket, member: LinkedMember) => void,
  attemptsLeft = 20,
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) =>
    accept(socket, member),
  )
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(member.port, host, resolve)
    })
    return server
  } catch (error) {
    if (attemptsLeft === 0) throw error
    await delay(100)
    return listen(host, member, accept, attemptsLeft - 1)
  }
}

/** The command line of the node that holds the end of a TCP connection with these ports; it leads a process group. */
function commandOfSocket(localPort: number, remotePort: number): readonly string[] {
  const wanted = `${hex(localPort)} ${hex(remotePort)}`
  const row = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, local = '', remote = '']) => `${local.slice(-4)} ${remote.slice(-4)}` === wanted)
  const inode = row?.[9]
  if (inode === undefined) return []
  const holder = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holds(name, `socket:[${inode}]`))
  return holder === undefined ? [] : commandOfGroup(holder)
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}

/** Processes come and go while they are looked at. */
function holds(pid: string, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === socket)
  } catch {
    return false
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** The group is field 5 of /proc/PID/stat, counted behind the command's name, which may hold anything. */
function commandOfGroup(pid: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const group = text.slice(text.lastIndexOf(')') + 2).split(' ')[2]
    return readFileSync(`/proc/${group}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
