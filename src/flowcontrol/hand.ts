/**
 * Shuffle sharding: each flow may use a few of many queues, drawn like a hand of cards. A flow that fills its queues
 * hardly ever fills all of somebody else's.
 *
 * Source: Kubernetes enhancement 1040, "Assigning Requests to Queues".
 */

/** 32 bits of all characters of the texts, which are kept apart. FNV-1a, then mixed. */
export function flowHash(...texts: readonly string[]): number {
  let hash = 0x811c9dc5
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash ^ 0xffff, 0x01000193)
  }
  return mixed(hash)
}

function mixed(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * The same `hash` draws the same hand.
 * @returns `size` different numbers below `queues`; all of them where `size` is not smaller
 */
export function dealHand(hash: number, queues: number, size: number): readonly number[] {
  if (size >= queues) return Array.from({ length: queues }, (_, queue) => queue)
  const hand: number[] = []
  for (let draw = 0; hand.length < size; draw++) {
    const left = queues - hand.length
    hand.push(unused(mixed(hash + Math.imul(draw + 1, 0x9e3779b9)) % left, hand))
  }
  return hand
}

/** The card at `place` among those that are not in the hand. */
function unused(place: number, hand: readonly number[]): number {
  let card = place
  for (const taken of hand.toSorted((a, b) => a - b)) if (taken <= card) card++
  return card
}
