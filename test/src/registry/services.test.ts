/** Addresses of services when there are few of them, and when many writers want one at once. */

import t from 'tap'
import { formatAddress, parseAddress } from '../../../src/ip.ts'
import { pick } from '../../../src/registry/services/ranges.ts'
import { parseAddressRanges, parsePortRange } from '../../../src/registry/services/settings.ts'
import { startInProcess } from '../../support/in-process-server.ts'

const path = '/api/v1/namespaces/default/services'

t.test(
  'five addresses, eight writers on two servers: each address once, then the range is full',
  async (t) => {
    const addresses = parseAddressRanges('192.0.2.0/29')
    const nodePorts = parsePortRange('30000-30003')
    if (!addresses.ok || !nodePorts.ok) throw new TypeError('these are ranges')
    const services = { addresses: addresses.value, nodePorts: nodePorts.value }
    const first = await startInProcess({ options: { services } })
    const second = await startInProcess({ store: first.store, options: { services } })
    t.teardown(() => Promise.all([first.close(), second.close()]))

    async function create(index: number, spec: object = {}) {
      const server = index % 2 === 0 ? first : second
      const body = { metadata: { name: `s${index}` }, spec: { ports: [{ port: 80 }], ...spec } }
      return server.request({ method: 'POST', target: path, body })
    }

    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => create(i)))
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => JSON.parse(`${body}`))
    const expected = [2, 3, 4, 5, 6].map((last) => `192.0.2.${last}`)
    t.same(made.map(({ spec }) => spec.clusterIP).sort(), expected)
    const refused = answers.find(({ status }) => status !== 201)
    t.equal(refused?.status, 500)
    t.match(`${refused?.body}`, /failed to allocate a serviceIP: range is full/)

    const [{ metadata, spec }] = made
    await first.request({ method: 'DELETE', target: `${path}/${metadata.name}` })
    const again = await create(20, { type: 'NodePort' })
    t.equal(JSON.parse(`${again.body}`).spec.clusterIP, spec.clusterIP, 'what was freed is there again')
  },
)

t.test('nobody gets the low numbers while there are others', (t) => {
  const span = { first: 100n, size: 10, reserved: 4 }
  const taken = new Set<bigint>()
  const order: number[] = []
  let step = 0
  for (;;) {
    const value = pick(
      span,
      (one) => taken.has(one),
      () => (step++ * 0.37) % 1,
    )
    if (value === undefined) break
    taken.add(value)
    order.push(Number(value))
  }
  t.same([...order].sort(), [100, 101, 102, 103, 104, 105, 106, 107, 108, 109])
  t.same(order.slice(6), [100, 101, 102, 103])
  t.end()
})

t.test('addresses as text', (t) => {
  for (const text of [
    '10.96.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fd00::1:0:0:1',
    '2001:db8::1',
    '1:2:3:4:5:6:7:8',
    'fe80::',
    '1:0:2::3',
  ]) {
    const address = parseAddress(text)
    t.equal(address === undefined ? undefined : formatAddress(address), text)
  }
  t.end()
})

t.test('what operators may say', (t) => {
  const ranges: readonly (readonly [string, RegExp | undefined])[] = [
    ['10.0.0.0/24', undefined],
    ['10.0.0.0/16,fd00::/108', undefined],
    ['10.0.0.0/8', /IPv4 range must have \/12 to \/29/],
    ['10.0.0.0/16,10.1.0.0/16', /more than one IPv4 range/],
    ['everything', /CIDR such as .* found "everything"/],
  ]
  for (const [text, failure] of ranges) {
    const parsed = parseAddressRanges(text)
    t.match(parsed.ok ? undefined : parsed.failure, failure, text)
  }
  t.same(parsePortRange('30000+10'), { ok: true, value: { first: 30_000, last: 30_010 } })
  for (const text of ['0-5', '5-1', '30000-70000', '80']) t.notOk(parsePortRange(text).ok, text)
  t.end()
})
