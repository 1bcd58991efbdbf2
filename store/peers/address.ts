import { fail, ok, type Result } from '../contract.ts'

/** Where a member listens for the others. */
export interface PeerAddress {
  readonly host: string
  readonly port: number
}

/** Reads `host:port` or `[v6]:port`; the failure is a sentence. */
export function parseAddress(text: string): Result<PeerAddress, string> {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (host === undefined || port < 1 || port > 65_535) {
    return fail(`${JSON.stringify(text)} is not host:port`)
  }
  return ok({ host, port })
}

/** Reachable from this machine alone: plaintext between members is allowed there only. */
export function isLoopback({ host }: PeerAddress): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

export interface NamedAddress {
  readonly name: string
  /** `host:port` */
  readonly address: string
}

/** Names of members: 1–63 letters, digits, dots, underlines and dashes, the first and last a letter or digit. */
export const memberNamePattern: RegExp = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

/** Reads `a=host:port,b=host:port`; sorted by name. The failure is a sentence. */
export function parseInitialCluster(text: string): Result<readonly NamedAddress[], string> {
  const members: NamedAddress[] = []
  for (const part of text.split(',')) {
    const [name = '', address = '', ...rest] = part.trim().split('=')
    if (!memberNamePattern.test(name) || address === '' || rest.length > 0) {
      return fail(`${JSON.stringify(part)} is not name=host:port`)
    }
    const parsed = parseAddress(address)
    if (!parsed.ok) return parsed
    const twin = members.find((member) => member.name === name || member.address === address)
    if (twin !== undefined) return fail(`${part} and ${twin.name}=${twin.address} are the same member`)
    members.push({ name, address })
  }
  return ok(members.sort((a, b) => (a.name < b.name ? -1 : 1)))
}
