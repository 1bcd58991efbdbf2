/** The whole API suite over one server, whatever transport carries it. */

import type { Test } from 'tap'
import { tellStories } from './runner.ts'
import type { ServerUnderTest, SuiteNames } from './server-under-test.ts'
import { admissionStories } from './stories/admission.ts'
import { configurationStories } from './stories/configurations.ts'
import { deletionStories } from './stories/deletion.ts'
import { discoveryStories } from './stories/discovery.ts'
import { errorStories } from './stories/errors.ts'
import { objectStories } from './stories/objects.ts'
import { openApiStories } from './stories/openapi.ts'
import { ownershipStories } from './stories/ownership.ts'
import { patchStories } from './stories/patches.ts'
import { podStories } from './stories/pods.ts'
import { readStories } from './stories/reads.ts'
import { serviceStories } from './stories/services.ts'
import { updateStories } from './stories/updates.ts'
import { versionStories } from './stories/versions.ts'
import { watchSuite } from './watch-suite.ts'

const chapters = [
  { name: 'objects', stories: objectStories },
  { name: 'reads', stories: readStories },
  { name: 'patches', stories: patchStories },
  { name: 'updates', stories: updateStories },
  { name: 'configurations', stories: configurationStories },
  { name: 'ownership', stories: ownershipStories },
  { name: 'deletion', stories: deletionStories },
  { name: 'pods', stories: podStories },
  { name: 'services', stories: serviceStories },
  { name: 'admission', stories: admissionStories },
  { name: 'errors', stories: errorStories },
  { name: 'discovery', stories: discoveryStories },
  { name: 'openapi', stories: openApiStories },
  { name: 'versions', stories: versionStories },
] as const

/** `id` keeps the namespaces of several runs over one store apart: a DNS label of at most 20 characters. */
export async function runApiSuite(
  t: Test,
  server: ServerUnderTest,
  names: SuiteNames,
  id: string,
): Promise<void> {
  for (const { name, stories } of chapters) {
    await t.test(name, (t) => tellStories(t, server, names, stories(names), `${id}-${name}`))
  }
  await t.test('watches', (t) => watchSuite(t, server, names, `${id}-watch`))
}
