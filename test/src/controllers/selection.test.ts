/** Source: specification, "Bootstrap tokens" (`--controllers`). */

import t from 'tap'
import { controllerNames, selectControllers } from '../../../src/controllers/selection.ts'

const usual = Object.keys(controllerNames).filter(
  (name) => !['bootstrapsigner', 'tokencleaner'].includes(name),
)

t.test('which controllers run', (t) => {
  for (const [asked, names] of [
    ['*', usual],
    ['*,bootstrapsigner,tokencleaner', Object.keys(controllerNames)],
    ['*,-namespace', usual.filter((name) => name !== 'namespace')],
    ['-namespace,*', usual.filter((name) => name !== 'namespace')],
    ['*,-namespace-controller', usual.filter((name) => name !== 'namespace')],
    ['namespace,csrsigning', ['csrsigning', 'namespace']],
    ['namespace-controller', ['namespace']],
    ['namespace,-namespace', ['namespace']],
    ['-namespace', []],
  ] as const) {
    const selected = selectControllers(asked.split(','))
    t.same(selected.ok ? [...selected.value].sort() : selected.failure, [...names].sort(), asked)
  }
  for (const asked of ['*,nosuch', '-nosuch', '-*', '**']) {
    const selected = selectControllers(asked.split(','))
    t.match(
      selected,
      { ok: false, failure: /^--controllers: ".*" is not in the list of known controllers; there are / },
      asked,
    )
  }
  t.end()
})
