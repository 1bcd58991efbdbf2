import { createHistory, type History } from './history.ts'
import { calm, createNetwork, type Network } from './network.ts'
import { createRandom, type Random } from './prng.ts'
import { createSafety, type Safety } from './safety.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'

/** What every simulation has, whatever its members are: chance, time, a network, and those who judge. */
interface World {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly network: Network
  readonly safety: Safety
  readonly history: History
  /** Tells what happens, with the time. A line that nobody takes is not made. */
  write(line: () => string): void
  /** From now on everything is carried, and soon. */
  healNetwork(): void
}

export function createWorld(seed: number, trace: ((line: string) => void) | undefined): World {
  const random = createRandom(seed)
  const scheduler = createScheduler()
  const network = createNetwork(scheduler, random.fork())
  const write = (line: () => string) => trace?.(`${scheduler.nowMs().toFixed(1).padStart(8)} ${line()}`)
  return {
    random,
    scheduler,
    network,
    safety: createSafety(),
    history: createHistory(),
    write,
    healNetwork() {
      write(() => 'everything is healed')
      network.heal()
      network.weather = calm
    },
  }
}
