/**
 * Reviews: questions about access that are asked by creating an object, and answered in its status.
 *
 * Source: specification, "Authorization" 10, "Self review", "Token webhook authentication" (TokenReview).
 */

import { fail, ok } from '../../../store/contract.ts'
import type { TokenAuthenticator } from '../../authn/authenticate.ts'
import type { JsonObject } from '../../json.ts'
import type { Names } from '../../names/names.ts'
import type { User } from '../../pipeline/user.ts'
import type { Checked } from '../../registry/machinery.ts'
import type { Operation, Operations } from '../../registry/virtual.ts'
import { invalidValue } from '../../status/causes.ts'
import { badRequest, invalid } from '../../status/failures.ts'
import type { Cause } from '../../status/status.ts'
import type { ApiObject } from '../../types/object.ts'
import type { Authorizer, RulesFor } from '../authorizer.ts'
import { ruleJson } from '../rbac/rule.ts'
import {
  attributeCauses,
  metadataCauses,
  objectOf,
  reviewedAttributes,
  specOf,
  subjectCauses,
  textOf,
  textsOf,
} from './attributes.ts'

interface ReviewParts {
  readonly names: Names
  readonly authorizer: Authorizer
  readonly rulesFor: RulesFor
  readonly tokens: TokenAuthenticator
  /** Whom a reviewed token must be for when the review names nobody; none = whoever. */
  readonly apiAudiences: readonly string[]
}

export function createReviews({
  names,
  authorizer,
  rulesFor,
  tokens,
  apiAudiences,
}: ReviewParts): Operations {
  const authorization = names.expand('authorization.{groups}')
  const authentication = names.expand('authentication.{groups}')
  return new Map<string, Operation>([
    [`${authorization}/selfsubjectaccessreviews`, selfAccess(authorizer)],
    [`${authorization}/subjectaccessreviews`, access(authorizer)],
    [`${authorization}/localsubjectaccessreviews`, localAccess(authorizer)],
    [`${authorization}/selfsubjectrulesreviews`, selfRules(rulesFor)],
    [`${authentication}/selfsubjectreviews`, selfSubject],
    [`${authentication}/tokenreviews`, reviewToken(tokens, apiAudiences)],
  ])
}

function selfAccess(authorizer: Authorizer): Operation {
  return async (review, { user }) => {
    const spec = specOf(review)
    const problem = problemOf(review, [...metadataCauses(review, false), ...attributeCauses(spec)])
    return problem ?? ok(await answered(review, user, authorizer))
  }
}

function access(authorizer: Authorizer): Operation {
  return async (review) => {
    const spec = specOf(review)
    const causes = [...metadataCauses(review, false), ...attributeCauses(spec), ...subjectCauses(spec)]
    return problemOf(review, causes) ?? ok(await answered(review, reviewedUser(spec), authorizer))
  }
}

function localAccess(authorizer: Authorizer): Operation {
  return async (review, { info }) => {
    const spec = specOf(review)
    const own = review.metadata.namespace ?? ''
    if (own !== '' && own !== info.namespace)
      return fail(badRequest(`spec.resourceAttributes.namespace must match namespace: ${info.namespace}`))
    review.metadata.namespace = info.namespace
    const causes = [
      ...attributeCauses(spec),
      ...subjectCauses(spec),
      ...metadataCauses(review, true),
      ...scopeCauses(spec, info.namespace),
    ]
    return problemOf(review, causes) ?? ok(await answered(review, reviewedUser(spec), authorizer))
  }
}

function scopeCauses(
  { resourceAttributes, nonResourceAttributes }: JsonObject,
  namespace: string,
): readonly Cause[] {
  const causes: Cause[] = []
  const asked = textOf(objectOf(resourceAttributes)['namespace'])
  if (resourceAttributes !== undefined && asked !== namespace)
    causes.push(invalidValue('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'))
  if (nonResourceAttributes !== undefined)
    causes.push(
      invalidValue('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request'),
    )
  return causes
}

function problemOf(review: ApiObject, causes: readonly Cause[]): Checked<never> | undefined {
  if (causes.length === 0) return undefined
  const group = review.apiVersion.split('/')[0] ?? ''
  return fail(invalid({ group, kind: review.kind }, '', causes))
}

async function answered(review: ApiObject, user: User, authorizer: Authorizer): Promise<ApiObject> {
  const request = reviewedAttributes(specOf(review))
  const { decision, reason } = await authorizer.authorize({ user, request })
  const status = {
    allowed: decision === 'allow',
    ...(decision === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
  }
  return { ...review, status }
}

/** Whom a review is about; nothing is added to the groups that it says. */
function reviewedUser(spec: JsonObject): User {
  const extra = Object.entries(objectOf(spec['extra']))
  return {
    name: textOf(spec['user']),
    uid: textOf(spec['uid']),
    groups: textsOf(spec['groups']),
    extra: new Map(extra.map(([key, values]) => [key, textsOf(values)])),
  }
}

function selfRules(source: RulesFor): Operation {
  return async (review, { user }) => {
    const namespace = textOf(specOf(review)['namespace'])
    if (namespace === '') return fail(badRequest('no namespace on request'))
    const { resourceRules, nonResourceRules, incomplete, errors } = await source.rulesFor(user, namespace)
    const status = {
      resourceRules: resourceRules.map((rule) => ruleJson({ ...rule, nonResourceURLs: [] })),
      nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete,
      ...(errors.length === 0 ? {} : { evaluationError: errors.join(', ') }),
    }
    // What was asked is not said again.
    return ok({ ...review, spec: {}, status })
  }
}

const selfSubject: Operation = async (review, { user }) =>
  ok({ ...review, status: { userInfo: userInfo(user) } })

function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  }
}

function reviewToken(tokens: TokenAuthenticator, apiAudiences: readonly string[]): Operation {
  return async (review) => {
    const spec = specOf(review)
    const text = textOf(spec['token'])
    if (text === '') return fail(badRequest('token is required for TokenReview in authentication'))
    const given = textsOf(spec['audiences'])
    const wanted = given.length === 0 ? apiAudiences : given
    const found = await tokens.authenticateToken(text, wanted.length === 0 ? undefined : wanted)
    if (found.type !== 'user') {
      const { reason = 'invalid bearer token' } = found.type === 'refused' ? found : {}
      return ok({ ...review, status: { authenticated: false, user: {}, error: reason } })
    }
    const { user, audiences = [] } = found
    // A method that knows nothing of audiences cannot say that the token is for those that were asked for.
    if (given.length > 0 && !audiences.some((audience) => given.includes(audience)))
      return ok({ ...review, status: { authenticated: false, user: {}, error: 'invalid bearer token' } })
    const status = {
      authenticated: true,
      user: userInfo(user),
      ...(audiences.length === 0 ? {} : { audiences }),
    }
    return ok({ ...review, status })
  }
}
