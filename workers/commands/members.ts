/** `status` and `member …`: questions to the member that runs on a data directory of this machine. */

import type { Result } from '../../store/contract.ts'
import { type AdminRequest, askMember } from '../../store/member/admin.ts'
import type { ClusterFailure, MemberView } from '../../store/member/cluster-messages.ts'
import { bytesText, type CommandEnd, done, failed, json, table } from './io.ts'

export type Output = 'table' | 'json' | undefined

/** What is asked for a change; `member` is a name or an id. */
type MemberChange =
  | { readonly method: 'add'; readonly name: string; readonly address: string }
  | { readonly method: 'remove' | 'promote' | 'transfer'; readonly member: string }

export async function showStatus(dataDir: string, output: Output): Promise<CommandEnd> {
  const views = await listMembers(dataDir)
  if (!views.ok) return failed(views.failure.message)
  const summary = summaryOf(views.value)
  const text = output === 'json' ? json(summary) : statusTable(summary)
  const healthy = summary.leader !== null && summary.members.every(({ answers }) => answers)
  return healthy ? done(text) : { type: 'bad', text }
}

export async function showMembers(dataDir: string, output: Output): Promise<CommandEnd> {
  const views = await listMembers(dataDir)
  if (!views.ok) return failed(views.failure.message)
  const members = views.value.map(({ id, name, address, learner }) => ({ id, name, address, learner }))
  if (output === 'json') return done(json(members))
  return done(
    table(
      ['ID', 'NAME', 'ADDRESS', 'VOTES'],
      members.map(({ id, name, address, learner }) => [
        String(id),
        name,
        address === '' ? '-' : address,
        learner ? 'no (learner)' : 'yes',
      ]),
    ),
  )
}

export async function changeMembers(
  dataDir: string,
  change: MemberChange,
  output: Output,
): Promise<CommandEnd> {
  const changed = await ask<MemberView>(dataDir, change)
  if (!changed.ok) {
    const { code, message } = changed.failure
    return failed(code === 'Refused' ? `nothing was changed: ${message}` : message)
  }
  if (output === 'json') return done(json(changed.value))
  const { id, name, address } = changed.value
  switch (change.method) {
    case 'add': {
      const views = await listMembers(dataDir)
      const members = views.ok ? views.value : [changed.value]
      const cluster = members.map((member) => `${member.name}=${member.address}`).join(',')
      return done(
        `member ${name} (id ${id}) may join at ${address}. Start it with an empty data directory and\n` +
          `  --name ${name} --initial-cluster ${cluster} --initial-cluster-state existing\n`,
      )
    }
    case 'remove':
      return done(`member ${name} (id ${id}) takes part no more; its data directory can be deleted\n`)
    case 'promote':
      return done(`member ${name} (id ${id}) votes now\n`)
    case 'transfer':
      return done(`member ${name} (id ${id}) leads now\n`)
  }
}

interface MemberLine {
  readonly id: number
  readonly name: string
  readonly address: string
  readonly learner: boolean
  readonly answers: boolean
  readonly role?: string
  readonly term?: number
  readonly applied?: number
  /** Log entries behind the newest that any member has applied. */
  readonly lag?: number
  readonly revision?: number
  readonly databaseBytes?: number
}

interface ClusterSummary {
  readonly leader: string | null
  readonly term: number
  readonly members: readonly MemberLine[]
}

/** Members that answer may differ for a moment: the leader of the highest term is the one. */
function summaryOf(views: readonly MemberView[]): ClusterSummary {
  const statuses = views.flatMap(({ status }) => (status === undefined ? [] : [status]))
  const newest = Math.max(0, ...statuses.map(({ applied }) => applied))
  const term = Math.max(0, ...statuses.map((status) => status.term))
  const leader = statuses.find((status) => status.role === 'leader' && status.term === term)
  return {
    leader: leader?.name ?? null,
    term,
    members: views.map(({ id, name, address, learner, status }) => ({
      id,
      name,
      address,
      learner,
      answers: status !== undefined,
      ...(status === undefined
        ? {}
        : {
            role: status.role,
            term: status.term,
            applied: status.applied,
            lag: newest - status.applied,
            revision: status.revision,
            databaseBytes: status.databaseBytes,
          }),
    })),
  }
}

function statusTable({ leader, term, members }: ClusterSummary): string {
  const rows = members.map((member) => [
    String(member.id),
    member.name,
    member.address === '' ? '-' : member.address,
    member.answers ? (member.role ?? '') : 'does not answer',
    ...[member.term, member.applied, member.lag, member.revision].map((n) =>
      n === undefined ? '-' : String(n),
    ),
    member.databaseBytes === undefined ? '-' : bytesText(member.databaseBytes),
  ])
  const answering = members.filter(({ answers }) => answers).length
  const lead = leader === null ? 'no leader' : `leader ${leader}`
  return `${lead}, term ${term}, ${answering} of ${members.length} members answer\n${table(
    ['ID', 'NAME', 'ADDRESS', 'ROLE', 'TERM', 'APPLIED', 'LAG', 'REVISION', 'DB SIZE'],
    rows,
  )}`
}

function listMembers(dataDir: string): Promise<Result<readonly MemberView[], ClusterFailure>> {
  return ask(dataDir, { method: 'list' })
}

/** A server of the same release answers each method with the type that cluster.ts names beside it. */
async function ask<T>(dataDir: string, request: AdminRequest): Promise<Result<T, ClusterFailure>> {
  return (await askMember(dataDir, request)) as Result<T, ClusterFailure>
}
