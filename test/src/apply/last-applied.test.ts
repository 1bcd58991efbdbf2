/** From client-side to server-side apply with the client that keeps its last body in an annotation. */

import t from 'tap'
import type { ApiObject } from '../../../src/types/object.ts'
import { type Plain, type Playground, playground } from './harness.ts'

const annotation = 'kubectl.example/last-applied-configuration'

function liveOf(world: Playground): ApiObject {
  if (world.live === undefined) throw new Error('nothing was written')
  return world.live
}

/** An object as client-side apply leaves it: what was sent, and the text of it. */
function clientSide(sent: Plain, live: Plain = sent): Playground {
  const world = playground({ lastAppliedAnnotation: annotation })
  const text = JSON.stringify({
    apiVersion: 'test/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'ns' },
    spec: sent,
  })
  world.update('kubectl-client-side-apply', { metadata: { annotations: { [annotation]: text } }, spec: sent })
  if (live !== sent) {
    world.update('someone', { metadata: { annotations: { [annotation]: text } }, spec: live })
  }
  return world
}

t.test('what the last body said and nobody changed is taken over', (t) => {
  const world = clientSide({ size: 1, paused: true })
  t.ok(world.apply('kubectl', { spec: { size: 2, paused: true } }).ok)
  t.equal(
    liveOf(world).metadata.annotations?.[annotation],
    '{"apiVersion":"test/v1","kind":"Widget","metadata":{"name":"w","namespace":"ns"},"spec":{"paused":true,"size":2}}\n',
    'the annotation follows',
  )
  t.end()
})

t.test('other managers do not take part in it', (t) => {
  const world = clientSide({ size: 1 })
  t.notOk(world.apply('other', { spec: { size: 2 } }).ok)
  t.equal(world.apply('other', { spec: { paused: true } }).ok, true)
  t.match(liveOf(world).metadata.annotations?.[annotation], /"size":1/)
  t.end()
})

t.test('what somebody changed since is a conflict', (t) => {
  const world = clientSide({ size: 1, paused: true }, { size: 5, paused: true })
  const refused = world.apply('kubectl', { spec: { size: 2, paused: false } })
  t.equal(
    refused.ok ? '' : refused.failure.message,
    'Apply failed with 1 conflict: conflict with "someone" using test/v1: .spec.size',
  )
  t.end()
})

t.test('a text that is no body counts for nothing', (t) => {
  for (const text of ['{', '[]', '{"apiVersion":"test/v2"}', '']) {
    const world = playground({ lastAppliedAnnotation: annotation })
    world.update('u', { metadata: { annotations: { [annotation]: text } }, spec: { size: 1 } })
    t.notOk(world.apply('kubectl', { spec: { size: 2 } }).ok)
  }
  t.end()
})

t.test('the annotation is dropped before annotations grow beyond their limit', (t) => {
  const world = clientSide({ command: ['x'] })
  const long = 'y'.repeat(300 * 1024)
  t.ok(world.apply('kubectl', { spec: { command: [long] } }).ok)
  t.equal(liveOf(world).metadata.annotations?.[annotation], undefined)
  t.end()
})
