/** Which floors there are (`floor.ts`), without what they are made of. */

export type Floor = 'fsync' | 'store' | 'tls'

/** Those that say something of a scenario. */
export function floorsOf(scenario: string): readonly Floor[] {
  if (scenario === 'create' || scenario === 'patch') return ['fsync', 'store']
  return scenario.startsWith('fanout-') ? ['tls'] : []
}
