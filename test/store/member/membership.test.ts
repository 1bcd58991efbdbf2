/** Members that come and go: adding, promoting, removing, handing over, growing from one. */

import t from 'tap'
import type { MemberView } from '../../../store/member/cluster-messages.ts'
import { openMember } from '../../../store/member/open.ts'
import { eventually } from '../../support/eventually.ts'
import { ask, prepareGroup, startGroup } from '../group.ts'
import { commit, put, show } from '../support.ts'

t.test('a member is added, catches up, votes, and is removed', async (t) => {
  const group = await prepareGroup(t, { names: ['a', 'b', 'c', 'd'] })
  const three = ['a', 'b', 'c'].map((name) => `${name}=${group.address(name)}`).join(',')
  await Promise.all(['a', 'b', 'c'].map((name) => group.start(name, { initialCluster: three })))
  const follower = await group.follower()
  const { store } = group.member(follower)
  for (let i = 0; i < 20; i++) await commit(store, put(`k${i}`, `${i}`))

  const early = await openMember(group.optionsOf('d', { initialClusterState: 'existing' }))
  t.match(early, { ok: false, failure: { code: 'BadCluster', message: /no member "d": add it first/ } })

  t.match(await ask(group.member(follower), { method: 'add', name: 'd', address: group.address('d') }), {
    id: 4,
    name: 'd',
    learner: true,
  })
  const added = await group.start('d', { initialClusterState: 'existing' })
  await eventually('d to become a voter', async () => {
    const d = (await group.list(follower)).find(({ name }) => name === 'd')
    return d !== undefined && !d.learner && d.status?.role === 'follower'
  })
  await group.settled(follower)
  t.equal(await show(added.store), await show(store))
  await commit(added.store, put('from d', 'x'))

  const fatal = new Promise<string>((resolve) => added.onFatal(({ message }) => resolve(message)))
  await ask(group.member(follower), { method: 'remove', member: 'd' })
  t.equal(await fatal, 'this member was removed from its cluster')
  t.same(
    (await group.list(follower)).map(({ name }) => name),
    ['a', 'b', 'c'],
  )
  t.equal(await show(added.store), 'Unavailable')
  await commit(store, put('after', 'x'))
  await group.stop('d')
  t.match(await openMember(group.optionsOf('d')), {
    ok: false,
    failure: { code: 'BadCluster', message: /was removed from its cluster: to take part again, add it anew/ },
  })
})

t.test('a member that was away while another joined hears from it when it leads', async (t) => {
  const group = await prepareGroup(t, { names: ['a', 'b', 'c', 'd'] })
  const three = ['a', 'b', 'c'].map((name) => `${name}=${group.address(name)}`).join(',')
  await Promise.all(['a', 'b', 'c'].map((name) => group.start(name, { initialCluster: three })))
  await group.settled('c')
  await group.stop('c')
  await group.leader()
  await ask(group.member('a'), { method: 'add', name: 'd', address: group.address('d') })
  await group.start('d', { initialClusterState: 'existing' })
  await eventually('d to become a voter', async () => {
    const d = (await group.list('a')).find(({ name }) => name === 'd')
    return d !== undefined && !d.learner && d.status?.role === 'follower'
  })
  await group.lead('d')
  await commit(group.member('d').store, put('while c is away', 'x'))
  const back = await group.start('c', { initialCluster: three })
  await eventually(
    'c to catch up',
    async () => (await show(back.store)) === (await show(group.member('d').store)),
  )
  t.equal((await group.status('d')).role, 'leader', 'nobody else had to lead for that')
})

t.test('changes asked for at once, while writes go on, are made one after the other', async (t) => {
  const group = await startGroup(t, { names: ['a', 'b', 'c'] })
  const member = group.member(await group.follower())
  let writing = true
  const writes = (async () => {
    for (let i = 0; writing; i++) await commit(member.store, put(`k${i % 10}`, `${i}`))
  })()
  const names = ['d', 'e', 'f']
  const added = await Promise.all(
    names.map((name, i) => ask(member, { method: 'add', name, address: `127.0.0.1:${i + 1}` })),
  )
  t.same(added.map((view) => (view as MemberView).id).sort(), [4, 5, 6], 'no id is given twice')
  await Promise.all(names.map((name) => ask(member, { method: 'remove', member: name })))
  writing = false
  await writes
  t.same(
    (await group.list('a')).map(({ name }) => name),
    ['a', 'b', 'c'],
  )
})

t.test('leadership moves on demand', async (t) => {
  const group = await startGroup(t, { names: ['a', 'b', 'c'] })
  const follower = await group.follower()
  await commit(group.member(follower).store, put('a', '1'))
  await group.lead(follower)
  await commit(group.member(follower).store, put('a', '2'))
})

t.test('what makes no sense is refused and changes nothing', async (t) => {
  const group = await startGroup(t, { names: ['a', 'b', 'c'] })
  const leader = group.member(await group.leader())
  const before = (await group.list('a')).map(({ name, learner }) => `${name} ${learner}`)
  const cases = [
    [{ method: 'add', name: 'b', address: '127.0.0.1:1' }, /member b at .* is there already/],
    [{ method: 'add', name: 'x y', address: '127.0.0.1:1' }, /"x y" is no name for a member/],
    [{ method: 'add', name: 'd', address: 'nowhere' }, /"nowhere" is not host:port/],
    [{ method: 'add', name: 'd', address: '10.1.1.1:2380' }, /needs certificates/],
    [{ method: 'remove', member: 'z' }, /no member "z"/],
    [{ method: 'promote', member: 'a' }, /a is a voter already/],
    [{ method: 'transfer', member: '9' }, /no member "9"/],
  ] as const
  for (const [request, expected] of cases) {
    await t.rejects(ask(leader, request), { message: expected }, JSON.stringify(request))
  }
  t.same(
    (await group.list('a')).map(({ name, learner }) => `${name} ${learner}`),
    before,
  )
})

t.test('the voter on whom the majority hangs is not removed', async (t) => {
  const group = await startGroup(t, { names: ['a', 'b', 'c'] })
  const leader = await group.leader()
  const [gone = '', left = ''] = ['a', 'b', 'c'].filter((name) => name !== leader)
  await group.stop(gone)
  await eventually('the leader to notice', async () => {
    const answer = await group.member(leader).cluster.run({ method: 'remove', member: left })
    return !answer.ok && /only 1 of 2 voters would answer/.test(answer.failure.message)
  })
  t.equal((await group.list(leader)).length, 3)
  await ask(group.member(leader), { method: 'remove', member: gone })
  await commit(group.member(left).store, put('a', '1'))
})

t.test('one member grows into three with its data', async (t) => {
  const group = await prepareGroup(t, { names: ['a', 'b', 'c'] })
  const { replication, ...aloneOptions } = group.optionsOf('a')
  t.ok(replication)
  const alone = await openMember(aloneOptions)
  if (!alone.ok) throw new Error(JSON.stringify(alone.failure))
  for (let i = 0; i < 300; i++) await commit(alone.value.store, put(`k${i % 50}`, `${i}`))
  const content = await show(alone.value.store)
  await alone.value.close()

  const first = await group.start('a')
  t.equal(await show(first.store), content)
  for (const name of ['b', 'c']) {
    await ask(first, { method: 'add', name, address: group.address(name) })
    await group.start(name, { initialClusterState: 'existing' })
    await eventually(`${name} to vote`, async () => {
      const member = (await group.list('a')).find((one) => one.name === name)
      return member?.learner === false && member.status?.role === 'follower'
    })
  }
  t.equal(await show(group.member('c').store), content)
  await group.stop('a')
  await commit(group.member('b').store, put('b', 'x'))
  t.match(await openMember(aloneOptions), {
    ok: false,
    failure: { code: 'BadCluster', message: /belongs to a cluster of 3 members \(a=.*,b=.*,c=.*\)/ },
  })
})
