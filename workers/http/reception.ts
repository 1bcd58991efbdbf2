/** What happens to every request over Node's libraries before and around the API: refusals of the transport, and bugs. */

import type { Exchange, Handler } from '../../src/pipeline/exchange.ts'
import type { Peer } from './peer.ts'
import { badRequestTarget, brokenHandler, type Refusal, unverifiedCertificate } from './refusal.ts'

export interface Reception {
  readonly handler: Handler
  /** The handler threw: a bug, answered with 500 where nothing was sent yet. */
  readonly onHandlerError: (error: unknown, exchange: Exchange) => void
}

/** An exchange whose answer can be given up. */
export interface NodeLikeExchange extends Exchange {
  /** The head of an answer has been sent. */
  readonly answered: boolean
  /** Drops what was begun. */
  breakOff(): void
}

/** `wellFormed`: its target is a path. */
export function receive(
  exchange: NodeLikeExchange,
  wellFormed: boolean,
  peer: Peer,
  { handler, onHandlerError }: Reception,
): void {
  const refusal = refusalOf(exchange, wellFormed, peer)
  if (refusal !== undefined) {
    refuse(exchange, refusal)
    return
  }
  try {
    handler(exchange)
  } catch (error) {
    onHandlerError(error, exchange)
    if (exchange.answered) exchange.breakOff()
    else refuse(exchange, brokenHandler)
  }
}

function refusalOf(exchange: Exchange, wellFormed: boolean, peer: Peer): Refusal | undefined {
  if (!wellFormed) return badRequestTarget
  const isStranger = peer.type === 'unverified' && exchange.header('authorization') === undefined
  return isStranger ? unverifiedCertificate : undefined
}

function refuse(exchange: Exchange, { status, headers, body }: Refusal): void {
  exchange.respond(status, headers, body)
}
