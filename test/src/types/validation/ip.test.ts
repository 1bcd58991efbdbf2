/** Addresses and ranges, read from text. */

import t from 'tap'
import { parseAddress } from '../../../../src/ip.ts'
import { isStrictPart, parseRange, specialAddressProblems } from '../../../../src/types/validation/ip.ts'

t.test('addresses', (t) => {
  const table: [text: string, value: bigint | undefined][] = [
    ['0.0.0.0', 0n],
    ['10.9.8.7', 0x0a090807n],
    ['255.255.255.255', 0xffffffffn],
    ['::', 0n],
    ['::1', 1n],
    ['2001:db8::ffff', 0x20010db800000000000000000000ffffn],
    ['1:2:3:4:5:6:7:8', 0x00010002000300040005000600070008n],
    ['1:2:3:4:5:6:7::', 0x00010002000300040005000600070000n],
    ['::ffff:10.0.0.1', 0xffff0a000001n],
    ['256.0.0.1', undefined],
    ['1.2.3', undefined],
    ['1.2.3.4.5', undefined],
    ['1.2.3.', undefined],
    ['1.2.3.-4', undefined],
    ['a', undefined],
    ['', undefined],
    [':', undefined],
    [':::', undefined],
    ['1::2::3', undefined],
    ['1:2:3:4:5:6:7', undefined],
    ['1:2:3:4:5:6:7:8:9', undefined],
    ['1:2:3:4:5:6:7:8::', undefined],
    ['12345::', undefined],
    ['::g', undefined],
    ['fe80::1%eth0', undefined],
    ['1.2.3.4::', undefined],
  ]
  for (const [text, value] of table) t.equal(parseAddress(text)?.value, value, text)
  t.end()
})

t.test('ranges, and which is a part of which', (t) => {
  for (const text of ['10.0.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/-1', 'x/8'])
    t.equal(parseRange(text), undefined, text)
  t.same(parseRange('10.1.2.3/8'), { family: 'IPv4', value: 0x0a000000n, prefixBits: 8 })
  const table: [inner: string, outer: string, is: boolean][] = [
    ['10.1.0.0/16', '10.0.0.0/8', true],
    ['10.0.0.0/8', '10.0.0.0/8', false],
    ['10.0.0.0/7', '10.0.0.0/8', false],
    ['11.0.0.0/16', '10.0.0.0/8', false],
    ['1.1.1.1/32', '0.0.0.0/0', true],
    ['2001:db8:1::/48', '2001:db8::/32', true],
    ['::/96', '0.0.0.0/0', false],
  ]
  for (const [inner, outer, is] of table) {
    const [a, b] = [parseRange(inner), parseRange(outer)]
    t.equal(a !== undefined && b !== undefined && isStrictPart(a, b), is, `${inner} in ${outer}`)
  }
  t.end()
})

t.test('addresses that lead nowhere else', (t) => {
  const table: [text: string, problem: RegExp | undefined][] = [
    ['0.0.0.0', /unspecified/],
    ['::', /unspecified/],
    ['127.8.0.1', /loopback/],
    ['::1', /loopback/],
    ['169.254.1.1', /link-local range/],
    ['fe80::1', /link-local range/],
    ['febf::1', /link-local range/],
    ['224.0.0.1', /link-local multicast/],
    ['ff02::1', /link-local multicast/],
    ['10.0.0.1', undefined],
    ['fd00::1', undefined],
    ['fec0::1', undefined],
  ]
  for (const [text, problem] of table) {
    const address = parseAddress(text)
    const found = address === undefined ? ['no address'] : specialAddressProblems(address)
    t.match(found, problem === undefined ? [] : [problem], text)
    t.equal(found.length, problem === undefined ? 0 : 1)
  }
  t.end()
})
