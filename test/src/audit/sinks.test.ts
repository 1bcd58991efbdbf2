/** Where entries go: cut down, in company, sent again. The clock is a test's own. */

import t from 'tap'
import { createBufferedSink } from '../../../src/audit/buffered.ts'
import type { AuditEvent } from '../../../src/audit/event.ts'
import { createLineWriter } from '../../../src/audit/lines.ts'
import { createLogSink } from '../../../src/audit/log-sink.ts'
import type { BatchOptions } from '../../../src/audit/options.ts'
import {
  type AuditFailures,
  type AuditSink,
  createForgivingSink,
  createUnionSink,
} from '../../../src/audit/sink.ts'
import { createTruncatingSink } from '../../../src/audit/truncate.ts'
import { createWebhookSink } from '../../../src/audit/webhook-sink.ts'
import { createNames } from '../../../src/names/names.ts'
import type { HttpRequest } from '../../../src/outside/outside.ts'
import { fail, ok } from '../../../store/contract.ts'
import { createManualClock } from '../../support/manual-clock.ts'

const names = createNames('kubernetes')
const line = createLineWriter('json', names)

function event(auditId: string, change: Partial<AuditEvent> = {}): AuditEvent {
  return {
    facts: {
      auditId,
      requestUri: '/api/v1/pods?limit=1',
      verb: 'list',
      user: {
        name: 'jane',
        uid: 'u',
        groups: ['devs'],
        extra: new Map([
          ['b', ['1']],
          ['a', ['2']],
        ]),
      },
      sourceIps: ['192.0.2.1'],
      userAgent: 'test "1"',
      receivedMicros: Date.UTC(2026, 0, 1) * 1000 + 120,
    },
    level: 'RequestResponse',
    stage: 'ResponseComplete',
    impersonatedUser: undefined,
    objectRef: undefined,
    responseStatus: { code: 200 },
    requestObject: undefined,
    responseObject: undefined,
    stageMicros: Date.UTC(2026, 0, 1) * 1000 + 1_000_000,
    annotations: [
      ['b', '2'],
      ['a', '1'],
    ],
    ...change,
  }
}

/** Remembers the batches that it is given; `answers` says what becomes of them. */
function remembering(answers = true) {
  const batches: string[][] = []
  const sink: AuditSink = {
    process(events) {
      batches.push(events.map(({ facts }) => facts.auditId))
      return answers
    },
    async close() {
      batches.push(['closed'])
    },
  }
  return { sink, batches }
}

function complaints() {
  const told: string[] = []
  const failed: AuditFailures = (plugin, why, events) =>
    void told.push(`${plugin}: ${why}: ${events.map(({ facts }) => facts.auditId)}`)
  return { told, failed }
}

t.test('lines', (t) => {
  t.equal(
    line(event('one', { requestObject: '{"a":1}', annotations: [] })),
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"one","stage":"ResponseComplete","requestURI":"/api/v1/pods?limit=1","verb":"list","user":{"username":"jane","uid":"u","groups":["devs"],"extra":{"a":["2"],"b":["1"]}},"sourceIPs":["192.0.2.1"],"userAgent":"test \\"1\\"","responseStatus":{"metadata":{},"code":200},"requestObject":{"a":1},"requestReceivedTimestamp":"2026-01-01T00:00:00.000120Z","stageTimestamp":"2026-01-01T00:00:01.000000Z"}\n',
  )
  t.match(line(event('one')), ',"annotations":{"a":"1","b":"2"}}\n', 'sorted')
  t.equal(
    createLineWriter('legacy', names)(event('one')),
    '2026-01-01T00:00:00.00012Z AUDIT: id="one" stage="ResponseComplete" ip="192.0.2.1" method="list" user="jane" groups="\\"devs\\"" as="<self>" asgroups="<lookup>" user-agent="test \\"1\\"" namespace="<none>" uri="/api/v1/pods?limit=1" response="200"\n',
  )
  t.end()
})

t.test('company', async (t) => {
  const usual: BatchOptions = { bufferEventsMax: 5, batchEventsMax: 2, waitMs: 1000, throttle: undefined }
  const start = (change: Partial<BatchOptions>) => {
    const clock = createManualClock()
    const { sink, batches } = remembering()
    const { told, failed } = complaints()
    const buffered = createBufferedSink(sink, { options: { ...usual, ...change }, clock, failed })
    const put = (...ids: readonly string[]) => buffered.process(ids.map((id) => event(id)))
    return { clock, batches, told, buffered, put }
  }
  {
    const { clock, batches, put } = start({})
    t.equal(put('a'), true)
    clock.advance(999)
    t.same(batches, [], 'one waits')
    clock.advance(1)
    t.same(batches, [['a']], 'but not for ever')
    put('b')
    put('c')
    t.same(batches, [['a']], 'not in the turn of a request')
    clock.advance(0)
    t.same(batches, [['a'], ['b', 'c']], 'enough for a batch')
  }
  {
    const { clock, batches, told, put, buffered } = start({ throttle: { perSecond: 2, burst: 1 } })
    put('a', 'b', 'c', 'd', 'e')
    put('f')
    t.same(told, ['buffered: audit buffer queue blocked: f'], 'a full buffer')
    clock.advance(0)
    t.same(batches, [['a', 'b']], 'throttled')
    clock.advance(500)
    t.same(batches, [
      ['a', 'b'],
      ['c', 'd'],
    ])
    await buffered.close()
    t.same(batches.slice(2), [['e'], ['closed']], 'the end waits for nothing')
    put('g')
    t.same(told.slice(1), ['buffered: audit backend shut down: g'])
  }
})

t.test('what is too large', async (t) => {
  const { sink, batches } = remembering()
  const { told, failed } = complaints()
  const bytes = (one: AuditEvent): number => Buffer.byteLength(line(one))
  const [small, large] = [event('small'), event('large', { responseObject: JSON.stringify('x'.repeat(500)) })]
  const huge = event('huge', {
    facts: { ...small.facts, auditId: 'huge', requestUri: `/${'x'.repeat(500)}` },
  })
  const options = { eventBytesMax: bytes(small) + 100, batchBytesMax: 2 * bytes(small) }
  const kept: AuditEvent[] = []
  const looking: AuditSink = {
    process(events) {
      kept.push(...events)
      return sink.process(events)
    },
    close: () => sink.close(),
  }
  const cut = createTruncatingSink(looking, { options, line, truncatedKey: 'audit.k8s.io/truncated', failed })
  t.equal(cut.process([small, small, large, huge]), true)
  t.same(batches, [['small', 'small'], ['large']])
  t.same(told, ['truncate: event is too large even after truncating: huge'])
  t.match(kept[2], { responseObject: undefined })
  t.equal(kept[2]?.annotations.find(([key]) => key === 'audit.k8s.io/truncated')?.[1], 'true')
  await cut.close()
})

t.test('a log that cannot be written', (t) => {
  const { told, failed } = complaints()
  const written: string[] = []
  let why: string | undefined
  const out = {
    write(lines: string) {
      written.push(lines)
      return why
    },
    close() {},
  }
  const sink = createLogSink(out, () => 'line\n', failed)
  t.equal(sink.process([event('a'), event('b')]), true)
  t.same(written, ['line\nline\n'], 'one write')
  why = 'disk full'
  t.equal(sink.process([event('c')]), false)
  t.equal(createForgivingSink(sink).process([event('d')]), true)
  t.equal(createUnionSink([remembering().sink, sink]).process([event('e')]), false)
  t.same(told, ['log: disk full: c', 'log: disk full: d', 'log: disk full: e'])
  t.end()
})

t.test('a service that is sent lists', async (t) => {
  const start = (answers: readonly number[]) => {
    const clock = createManualClock()
    const sent: HttpRequest[] = []
    const { told, failed } = complaints()
    const left = [...answers]
    const sink = createWebhookSink({
      endpoint: {
        url: 'https://hook.test/audit',
        authorization: async () => 'Bearer x',
        client: {
          async request(request) {
            sent.push(request)
            const status = left.shift() ?? 0
            return status === 0
              ? fail({ code: 'Unreachable' as const, message: 'hook.test is unreachable' })
              : ok({ status, headers: new Map(), body: Buffer.alloc(0) })
          },
          close() {},
        },
      },
      names,
      clock,
      fraction: () => 0,
      firstDelayMs: 100,
      failed,
    })
    return { clock, sent, told, sink }
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  {
    const { sent, sink } = start([200])
    t.equal(await sink.process([event('a'), event('b')]), true)
    t.match(sent[0], {
      method: 'POST',
      headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
    })
    const list: unknown = JSON.parse(sent[0]?.body?.toString() ?? '')
    t.match(list, {
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [{ auditID: 'a', kind: undefined }, { auditID: 'b' }],
    })
  }
  {
    const { clock, sent, told, sink } = start([500, 404, 200])
    const done = sink.process([event('a')])
    await turn()
    clock.advance(100)
    await turn()
    t.equal(sent.length, 2)
    clock.advance(149)
    await turn()
    t.equal(sent.length, 2, 'half as much longer each time')
    clock.advance(1)
    t.equal(await done, true)
    t.same([sent.length, told], [3, []])
  }
  {
    const { clock, sent, told, sink } = start([])
    const done = sink.process([event('a')])
    for (let i = 0; i < 5; i++) {
      await turn()
      clock.advance(1000)
    }
    t.equal(await done, false)
    t.same([sent.length, told], [5, ['webhook: hook.test is unreachable: a']])
  }
  {
    const { sent, sink } = start([])
    const done = sink.process([event('a')])
    await turn()
    await sink.close()
    t.equal(await done, false)
    t.equal(sent.length, 2, 'the end waits for one more attempt')
  }
})
