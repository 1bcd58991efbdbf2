/** Which plugins run. Source: specification, "What the service does", 5 and 6. */

import t from 'tap'
import { pluginNames, selectPlugins } from '../../../src/admission/selection.ts'

const usual = pluginNames.filter(
  (name) =>
    ![
      'AlwaysAdmit',
      'AlwaysPullImages',
      'NodeRestriction',
      'OwnerReferencesPermissionEnforcement',
      'AlwaysDeny',
    ].includes(name),
)

t.test('in their order, whatever the order of the flags', (t) => {
  t.same(selectPlugins({}), { ok: true, value: usual })
  t.same(selectPlugins({ enable: ['AlwaysDeny', 'AlwaysAdmit', 'Priority'] }), {
    ok: true,
    value: ['AlwaysAdmit', ...usual, 'AlwaysDeny'],
  })
  t.same(selectPlugins({ disable: ['ServiceAccount', 'AlwaysDeny'] }), {
    ok: true,
    value: usual.filter((name) => name !== 'ServiceAccount'),
  })
  t.end()
})

t.test('refused', (t) => {
  const there = `there are ${pluginNames.join(', ')}`
  t.same(selectPlugins({ enable: ['Priorities'] }), {
    ok: false,
    failure: `--enable-admission-plugins: the plugin "Priorities" is unknown; ${there}`,
  })
  t.same(selectPlugins({ disable: [''] }), {
    ok: false,
    failure: `--disable-admission-plugins: the plugin "" is unknown; ${there}`,
  })
  t.same(selectPlugins({ enable: ['Priority'], disable: ['RuntimeClass', 'Priority'] }), {
    ok: false,
    failure: 'Priority is in both --enable-admission-plugins and --disable-admission-plugins',
  })
  t.end()
})
