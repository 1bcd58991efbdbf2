/** The tables of the specification, "Resource versions" and "Query parameters", row by row. */

import t from 'tap'
import { createNames } from '../../../src/names/names.ts'
import { getStart, listStart, type ReadParameters, watchStart } from '../../../src/storage/freshness.ts'
import { failure, value } from './harness.ts'

const options = { names: createNames('kubernetes'), watchList: true }
const mostRecent = { type: 'mostRecent' }
const any = { type: 'any' }
const notOlderThan = { type: 'notOlderThan', revision: 7 }
const exact = { type: 'exact', revision: 7 }
const token = { type: 'continue', token: 'T' }

const gets: readonly (readonly [resourceVersion: string, start: unknown])[] = [
  ['', mostRecent],
  ['0', any],
  ['7', notOlderThan],
]
for (const [resourceVersion, start] of gets) {
  t.test(`get at ${JSON.stringify(resourceVersion)}`, async (t) => {
    t.strictSame(value(getStart({ resourceVersion })), start)
  })
}

type Verdict = unknown
const lists: readonly (readonly [
  match: string,
  limit: string,
  token: string,
  unset: Verdict,
  zero: Verdict,
  set: Verdict,
])[] = [
  ['', '', '', mostRecent, any, notOlderThan],
  ['', '3', '', mostRecent, any, exact],
  ['', '3', 'T', token, token, 400],
  ['', '', 'T', token, token, 400],
  ['Exact', '', '', 422, 422, exact],
  ['Exact', '3', '', 422, 422, exact],
  ['NotOlderThan', '', '', 422, any, notOlderThan],
  ['NotOlderThan', '3', '', 422, any, notOlderThan],
  ['Exact', '3', 'T', 422, 422, 422],
  ['NotOlderThan', '3', 'T', 422, 422, 422],
  ['Newest', '', '', 422, 422, 422],
]
const reasons = new Map<Verdict, string>([
  [400, 'BadRequest'],
  [422, 'Invalid'],
])

for (const [resourceVersionMatch, limit, token, ...verdicts] of lists) {
  for (const [column, resourceVersion] of ['', '0', '7'].entries()) {
    const parameters = { resourceVersionMatch, limit, continue: token, resourceVersion }
    t.test(`list with ${JSON.stringify(parameters)}`, async (t) => {
      const wanted = verdicts[column]
      const found = listStart(parameters, options)
      const reason = reasons.get(wanted)
      if (reason !== undefined) t.equal(failure(found).reason, reason)
      else t.strictSame(value(found), { start: wanted, ...(limit === '' ? {} : { limit: 3 }) })
    })
  }
}

const state = (freshness: unknown, initialEventsEndBookmark = false) => ({
  type: 'state',
  freshness,
  initialEventsEndBookmark,
})
const watches: readonly (readonly [parameters: ReadParameters, verdict: Verdict])[] = [
  [{}, { start: state(mostRecent), bookmarks: false }],
  [{ resourceVersion: '0' }, { start: state(any), bookmarks: false }],
  [{ resourceVersion: '7' }, { start: { type: 'after', revision: 7 }, bookmarks: false }],
  [
    { resourceVersion: '7', allowWatchBookmarks: 'true' },
    { start: { type: 'after', revision: 7 }, bookmarks: true },
  ],
  [
    { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: '1' },
    { start: state(mostRecent, true), bookmarks: true },
  ],
  [
    { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', resourceVersion: '0' },
    { start: state(any), bookmarks: false },
  ],
  [
    {
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      resourceVersion: '7',
      allowWatchBookmarks: '1',
    },
    { start: state(notOlderThan, true), bookmarks: true },
  ],
  [
    { sendInitialEvents: 'false', resourceVersionMatch: 'NotOlderThan', resourceVersion: '0' },
    { start: { type: 'now', freshness: any }, bookmarks: false },
  ],
  [
    { sendInitialEvents: 'false', resourceVersionMatch: 'NotOlderThan', resourceVersion: '7' },
    { start: { type: 'after', revision: 7 }, bookmarks: false },
  ],
]
for (const [parameters, verdict] of watches) {
  t.test(`watch with ${JSON.stringify(parameters)}`, async (t) => {
    t.strictSame(value(watchStart(parameters, options)), verdict)
  })
}

const invalid = (text: string) => `ListOptions.meta.k8s.io "" is invalid: ${text}`
const refusals: readonly (readonly [
  verb: typeof listStart | typeof watchStart,
  parameters: ReadParameters,
  message: string,
])[] = [
  [
    listStart,
    { resourceVersionMatch: 'Exact' },
    invalid(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ),
  ],
  [
    listStart,
    { resourceVersionMatch: 'Exact', resourceVersion: '0' },
    invalid(
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ),
  ],
  [
    listStart,
    { resourceVersionMatch: 'Exact', resourceVersion: '7', continue: 'T' },
    invalid('resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided'),
  ],
  [
    listStart,
    { resourceVersionMatch: 'x', resourceVersion: '7' },
    invalid('resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""'),
  ],
  [
    listStart,
    { resourceVersionMatch: 'Exact', continue: 'T' },
    invalid(
      '[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided]',
    ),
  ],
  [
    listStart,
    { sendInitialEvents: 'true' },
    invalid('sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'),
  ],
  [
    listStart,
    { continue: 'T', resourceVersion: '7' },
    'specifying resource version is not allowed when using continue',
  ],
  [listStart, { resourceVersion: 'x' }, 'resourceVersion: Invalid value: "x": must be an unsigned integer'],
  [listStart, { resourceVersion: '-1' }, 'resourceVersion: Invalid value: "-1": must be an unsigned integer'],
  [
    listStart,
    { resourceVersion: '18446744073709551616' },
    'resourceVersion: Invalid value: "18446744073709551616": value out of range',
  ],
  [listStart, { limit: 'x' }, 'limit: Invalid value: "x": must be an integer'],
  [
    watchStart,
    { resourceVersionMatch: 'NotOlderThan', resourceVersion: '7' },
    invalid(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ),
  ],
  [
    watchStart,
    { sendInitialEvents: 'true' },
    invalid(
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ),
  ],
  [
    watchStart,
    { sendInitialEvents: 'true', resourceVersionMatch: 'Exact' },
    invalid(
      '[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    ),
  ],
  [watchStart, { resourceVersion: 'x' }, 'resourceVersion: Invalid value: "x": must be an unsigned integer'],
]
for (const [verb, parameters, message] of refusals) {
  t.test(`${verb.name} refuses ${JSON.stringify(parameters)}`, async (t) => {
    t.equal(failure(verb(parameters, options)).message, message)
  })
}

t.test('an invalid combination names its causes', async (t) => {
  t.match(failure(listStart({ resourceVersionMatch: 'Exact' }, options)).details, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
    causes: [{ reason: 'FieldValueForbidden', field: 'resourceVersionMatch' }],
  })
})

t.test('initial events need the feature gate', async (t) => {
  const parameters = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
  t.match(failure(watchStart(parameters, { ...options, watchList: false })), {
    reason: 'Invalid',
    message: /sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled/,
  })
})

t.test('a limit of nothing, or less, means no pages', async (t) => {
  for (const limit of ['0', '-1', ''])
    t.strictSame(value(listStart({ limit }, options)), { start: mostRecent })
})

t.test('a version that no revision can be is in the future, not wrong', async (t) => {
  t.match(value(getStart({ resourceVersion: '18446744073709551615' })), { revision: Number.MAX_SAFE_INTEGER })
})
