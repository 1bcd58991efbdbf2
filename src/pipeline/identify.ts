/** Who a request is from. */

import { fail, ok } from '../../store/contract.ts'
import type { Authentication } from '../authn/authenticate.ts'
import { impersonate, readImpersonation } from '../authn/impersonation.ts'
import type { Checked } from '../registry/machinery.ts'
import { internalError, unauthorized } from '../status/failures.ts'
import { auditRefusal, beginAudit } from './auditing.ts'
import type { ConductorParts } from './parts.ts'
import type { Passage } from './passage.ts'
import type { RequestInfo } from './request-info.ts'
import type { User } from './user.ts'

/** Its sender, or whom the sender acts as. Known at once, as a rule. */
export function identify(
  passage: Passage,
  info: RequestInfo,
  parts: ConductorParts,
): Checked<User> | Promise<Checked<User>> {
  const { authenticator, clock, accessMetrics } = parts
  const beganMs = clock.monotonicMs()
  const { exchange } = passage
  const { peerCertificate } = exchange
  if (peerCertificate !== undefined) accessMetrics.certificate(peerCertificate.untilMs - clock.wallMs())
  const authentication = authenticator.authenticate(exchange)
  const goOn = (settled: Authentication): Checked<User> | Promise<Checked<User>> => {
    accessMetrics.authenticated(settled, clock.monotonicMs() - beganMs)
    if (settled.type === 'user') return admitSender(passage, info, settled, parts)
    auditRefusal(passage, info, parts.auditing, settled.type === 'refused' ? settled.notes : undefined)
    return fail(unauthorized)
  }
  return authentication instanceof Promise ? authentication.then(goOn) : goOn(authentication)
}

/** The audit log knows of the sender before anything is done for them. */
function admitSender(
  passage: Passage,
  info: RequestInfo,
  sender: Extract<Authentication, { type: 'user' }>,
  parts: ConductorParts,
): Checked<User> | Promise<Checked<User>> {
  const { user, notes } = sender
  if (notes !== undefined) passage.warnings.push(...notes.warnings)
  if (parts.auditing === undefined) return actingUser(passage, user, parts)
  const stored = beginAudit(passage, info, sender, parts.auditing)
  const goOn = (isStored: boolean): Checked<User> | Promise<Checked<User>> =>
    isStored ? actingUser(passage, user, parts) : fail(internalError('failed to store audit event'))
  return stored instanceof Promise ? stored.then(goOn) : goOn(stored)
}

function actingUser(
  passage: Passage,
  sender: User,
  { authorizer, names }: ConductorParts,
): Checked<User> | Promise<Checked<User>> {
  const asked = readImpersonation(passage.exchange)
  if (asked === undefined) return ok(sender)
  return impersonate(sender, asked, authorizer, names).then((acting) => {
    if (acting.type !== 'user') return fail(acting.failure)
    passage.audit?.impersonated(acting.user)
    return ok(acting.user)
  })
}
