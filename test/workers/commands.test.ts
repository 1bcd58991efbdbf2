/** What an operator's commands say and do: against a running group, against nothing, and against files. */

import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { systemClock } from '../../store/clock.ts'
import { type AdminServer, createAdminServer } from '../../store/member/admin.ts'
import { openMember } from '../../store/member/open.ts'
import type { CommandEnd } from '../../workers/commands/io.ts'
import { type Group, prepareGroup } from '../store/group.ts'
import { commit, put, show } from '../store/support.ts'
import { eventually } from '../support/eventually.ts'
import { operate } from '../support/operator.ts'
import { temporaryDirectory } from '../support/server-process.ts'

function textOf(end: CommandEnd): string {
  return end.type === 'done' || end.type === 'bad' ? end.text : `${end.type}: ${end.message}`
}

/** Three members with the operator's door open, and room for a fourth. */
async function startOperated(t: Test): Promise<{ group: Group; doors: Map<string, AdminServer> }> {
  const group = await prepareGroup(t, { names: ['a', 'b', 'c', 'd'] })
  const three = ['a', 'b', 'c'].map((name) => `${name}=${group.address(name)}`).join(',')
  const doors = new Map<string, AdminServer>()
  await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const member = await group.start(name, { initialCluster: three })
      const door = createAdminServer(member, group.dataDir(name))
      await door.start()
      doors.set(name, door)
    }),
  )
  t.teardown(async () => {
    for (const door of doors.values()) await door.close()
  })
  await group.leader()
  return { group, doors }
}

t.test('status and membership of a running cluster, from any of its members', async (t) => {
  const { group } = await startOperated(t)
  const leader = await group.leader()
  const follower = await group.follower()
  const at = ['--data-dir', group.dataDir(follower)]
  await commit(group.member(follower).store, put('k', 'v'))
  await group.settled(leader)

  const status = textOf(await operate('status', ...at))
  t.match(status, new RegExp(`^leader ${leader}, term \\d+, 3 of 3 members answer\\n`))
  t.match(status, /\nID +NAME +ADDRESS +ROLE +TERM +APPLIED +LAG +REVISION +DB SIZE\n/)
  t.match(
    status,
    new RegExp(`\\n\\d +${follower} +127\\.0\\.0\\.1:\\d+ +follower +\\d+ +\\d+ +0 +1 +[\\d.]+ K?i?B\\n`),
  )
  t.match(JSON.parse(textOf(await operate('status', ...at, '-o', 'json'))), {
    leader,
    members: [{ name: 'a', answers: true, lag: 0, revision: 1 }, { name: 'b' }, { name: 'c' }],
  })
  t.match(textOf(await operate('member', 'list', ...at)), /\n2 +b +127\.0\.0\.1:\d+ +yes\n/)

  t.equal(
    textOf(await operate('member', 'add', 'd', group.address('d'), ...at)),
    `member d (id 4) may join at ${group.address('d')}. Start it with an empty data directory and\n` +
      `  --name d --initial-cluster ${group.initialCluster} --initial-cluster-state existing\n`,
  )
  t.match(textOf(await operate('member', 'list', ...at)), /\n4 +d +127\.0\.0\.1:\d+ +no \(learner\)\n/)
  t.match(await operate('status', ...at), {
    type: 'bad',
    text: /3 of 4 members answer\n[\s\S]*does not answer/,
  })
  await group.start('d', { initialClusterState: 'existing' })
  await eventually('d to vote', async () =>
    /\n4 +d .* yes\n/.test(textOf(await operate('member', 'list', ...at))),
  )
  t.equal(textOf(await operate('member', 'transfer', 'd', ...at)), 'member d (id 4) leads now\n')
  await eventually('nobody else to think that they lead', async () => (await group.leader()) === 'd')
  t.equal(
    textOf(await operate('member', 'transfer', leader, ...at)),
    `member ${leader} (id ${leader === 'a' ? 1 : leader === 'b' ? 2 : 3}) leads now\n`,
  )
  t.equal(
    textOf(await operate('member', 'remove', '4', ...at)),
    'member d (id 4) takes part no more; its data directory can be deleted\n',
  )
})

t.test('wrong use says what is wrong and what to do, and changes nothing', async (t) => {
  const { group } = await startOperated(t)
  const at = ['--data-dir', group.dataDir('a')]
  const before = textOf(await operate('member', 'list', ...at))
  const rows: readonly [readonly string[], RegExp][] = [
    [
      ['member', 'remove', 'x', ...at],
      /^failed: nothing was changed: the cluster has no member "x", but a, b, c$/,
    ],
    [['member', 'promote', 'b', ...at], /nothing was changed: b is a voter already/],
    [['member', 'transfer', 'x', ...at], /no member "x"/],
    [['member', 'add', 'b', group.address('d'), ...at], /member b at .* is there already/],
    [['member', 'add', 'd', group.address('b'), ...at], /member b at .* is there already/],
    [['member', 'add', 'd', 'nowhere', ...at], /"nowhere" is not host:port/],
    [['member', 'add', 'd/e', group.address('d'), ...at], /"d\/e" is no name for a member/],
    [['member', 'add', 'd', '10.1.2.3:4', ...at], /a member at 10\.1\.2\.3:4 needs certificates/],
    [['member', 'add', 'd', ...at], /^misused: member add takes 2 arguments/],
    [['status', '--data-dir', temporaryDirectory(t)], /^failed: no server runs on /],
    [['snapshot', 'save', '/no/such/folder/x', ...at], /cannot write \/no\/such\/folder\/x/],
  ]
  for (const [words, message] of rows) t.match(textOf(await operate(...words)), message, words.join(' '))
  t.equal(textOf(await operate('member', 'list', ...at)), before)
})

t.test('without a majority the status says so', async (t) => {
  const { group, doors } = await startOperated(t)
  for (const name of ['b', 'c']) {
    await doors.get(name)?.close()
    await group.stop(name)
  }
  const at = ['--data-dir', group.dataDir('a')]
  await eventually('a to step down', async () => /^no leader/.test(textOf(await operate('status', ...at))))
  t.match(await operate('status', ...at), {
    type: 'bad',
    text: /^no leader, term \d+, 1 of 3 members answer\n/,
  })
  t.match(
    textOf(await operate('member', 'remove', 'b', ...at)),
    /nothing was changed: the cluster has no leader now/,
  )
  const file = join(temporaryDirectory(t), 'survivor')
  t.match(await operate('snapshot', 'save', file, ...at), { type: 'done' }, 'but its state can be saved')
})

t.test('a snapshot: saved while it serves, checked, restored as a new cluster', async (t) => {
  const { group } = await startOperated(t)
  const folder = temporaryDirectory(t)
  const file = join(folder, 'state.snapshot')
  const { store } = group.member('a')
  for (let i = 0; i < 20; i++) await commit(store, put(`k${i}`, `${i}`))
  const at = ['--data-dir', group.dataDir('a')]
  t.match(textOf(await operate('snapshot', 'save', file, ...at)), /\n {2}revision {2}20\n/)
  t.match(
    textOf(await operate('snapshot', 'save', file, ...at)),
    /state\.snapshot exists already: nothing was written/,
  )
  t.match(JSON.parse(textOf(await operate('snapshot', 'status', file, '-o', 'json'))), {
    revision: 20,
    path: file,
  })

  const damaged = join(folder, 'damaged')
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  writeFileSync(damaged, bytes)
  t.match(
    textOf(await operate('snapshot', 'status', damaged)),
    /damaged is no snapshot: checksum does not match/,
  )
  const target = join(folder, 'alone')
  t.match(textOf(await operate('snapshot', 'restore', damaged, '--data-dir', target)), /is no snapshot/)
  t.match(textOf(await operate('snapshot', 'restore', file)), /^misused: snapshot restore needs --data-dir/)
  t.match(
    textOf(await operate('snapshot', 'restore', file, '--data-dir', target, '--name', 'a')),
    /^misused: --name needs --initial-cluster/,
  )
  t.match(
    textOf(await operate('snapshot', 'restore', file, '--data-dir', group.dataDir('a'))),
    /is not empty: nothing was restored/,
  )
  t.match(
    textOf(await operate('snapshot', 'restore', file, '--data-dir', target)),
    /^restored\n[\s\S]*revision {2}20\n/,
  )
  const restored = await openMember({ dataDir: target, clock: systemClock })
  if (!restored.ok) throw new Error(restored.failure.message)
  t.teardown(() => restored.value.close())
  t.equal(await show(restored.value.store), await show(store))
})

t.test('certificates: made once, for each node, and refused where something is missing', async (t) => {
  const dir = join(temporaryDirectory(t), 'pki')
  const at = ['--cert-dir', dir]
  t.match(
    textOf(await operate('certs', 'node', '--name', 'a', ...at)),
    /ca\.crt is missing: make it with "cluster-apiserver certs init/,
  )
  t.match(
    textOf(await operate('certs', 'init', ...at)),
    /^made ca\.crt, ca\.key, peer-ca\.crt, peer-ca\.key, admin\.crt/,
  )
  const made = readFileSync(join(dir, 'ca.crt'), 'utf8')
  t.match(textOf(await operate('certs', 'init', ...at)), /^everything was there already/)
  t.equal(readFileSync(join(dir, 'ca.crt'), 'utf8'), made)

  t.match(textOf(await operate('certs', 'node', ...at)), /^misused: certs node needs --name/)
  t.match(
    textOf(await operate('certs', 'node', '--name', '../x', ...at)),
    /^misused: --name \.\.\/x is no name/,
  )
  t.match(
    textOf(await operate('certs', 'node', '--name', 'a', '--sans', 'a b', ...at)),
    /--sans a b is neither/,
  )
  t.match(
    textOf(await operate('certs', 'node', '--name', 'a', '--sans', '10.0.0.1,lb.example', ...at)),
    /good for a, 10\.0\.0\.1, lb\.example, localhost, 127\.0\.0\.1, ::1\n[\s\S]*--peer-trusted-ca-file=/,
  )
  t.same(readdirSync(join(dir, 'a')).sort(), [
    'apiserver.crt',
    'apiserver.key',
    'ca.crt',
    'peer-ca.crt',
    'peer.crt',
    'peer.key',
    'sa.key',
    'sa.pub',
  ])
  for (const secret of ['ca.key', 'sa.key', 'admin.key', 'a/peer.key', 'a/apiserver.key', 'a/sa.key']) {
    t.equal(statSync(join(dir, secret)).mode & 0o777, 0o600, secret)
  }
  const file = join(dir, 'jane.kubeconfig')
  t.match(
    textOf(await operate('certs', 'kubeconfig', file, ...at)),
    /^misused: certs kubeconfig needs --server/,
  )
  t.match(
    textOf(await operate('certs', 'kubeconfig', file, '--server', 'lb', ...at)),
    /not of the form https:/,
  )
  t.match(
    textOf(await operate('certs', 'kubeconfig', file, '--server', 'https://lb:6443', '--groups', 'g', ...at)),
    /^misused: --groups needs --user/,
  )
  const server = ['--server', 'https://lb.example:6443']
  await operate('certs', 'kubeconfig', file, ...server, '--user', 'jane', '--groups', 'dev,ops', ...at)
  const text = readFileSync(file, 'utf8')
  t.match(text, /server: https:\/\/lb\.example:6443\n/)
  const certificate = /client-certificate-data: (.*)/.exec(text)?.[1] ?? ''
  const { subject } = new X509Certificate(Buffer.from(certificate, 'base64'))
  t.equal(subject, 'O=dev\nO=ops\nCN=jane')
})
