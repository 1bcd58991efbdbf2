#!/usr/bin/env node
/** The command line. Exit codes: 0 in good order, 1 what was asked cannot be done or broke, 2 wrong use. */

import { availableParallelism, homedir } from 'node:os'
import { createInterface } from 'node:readline'
import type { Log } from '../src/observe/log.ts'
import { type Config, configOf } from './flags/config.ts'
import { helpText } from './flags/help.ts'
import { parseCommandLine } from './flags/parse.ts'
import { keepNurserySmall } from './memory.ts'
import type { Pool } from './pool.ts'
import { nameSourcesInTraces } from './traces.ts'

async function run(words: readonly string[]): Promise<number> {
  const line = parseCommandLine(words)
  if (!line.ok) return refuse(line.failure.message)
  switch (line.value.type) {
    case 'help':
      process.stdout.write(helpText(line.value.of))
      return 0
    case 'version': {
      const { packageVersion } = await import('./build.ts')
      process.stdout.write(`cluster-apiserver ${packageVersion()} (API 1.30)\n`)
      return 0
    }
    case 'command': {
      const { runCommand } = await import('./commands/run.ts')
      const end = await runCommand(line.value.command, {
        environment: process.env,
        homeDirectory: homedir(),
        nowMs: Date.now(),
        print: (text) => process.stdout.write(text),
        onStopSignal(action) {
          process.once('SIGTERM', action)
          process.once('SIGINT', action)
          process.once('SIGHUP', action)
        },
        onLine: (action) => void createInterface({ input: process.stdin }).on('line', action),
      })
      if (end.type === 'misused') return refuse(end.message)
      if (end.type === 'failed') process.stderr.write(`cluster-apiserver: ${end.message}\n`)
      else process.stdout.write(end.text)
      return end.type === 'done' ? 0 : 1
    }
    case 'serve': {
      const config = configOf(line.value.values, {
        environment: process.env,
        homeDirectory: homedir(),
        cores: availableParallelism(),
      })
      if (!config.ok) return refuse(config.failure.message)
      const { createLog } = await import('./log.ts')
      const log = await createLog(config.value.log, 'supervisor')
      // First of all: the workers load while this process loads what it needs and opens the store.
      const pool = config.value.workers === 0 ? undefined : await startPool(config.value, log)
      const [{ supervise }] = await Promise.all([
        import('./supervisor.ts'),
        pool === undefined ? import('./own-crew.ts') : undefined,
      ])
      process.stdout.on('error', () => {}) // whoever read it has gone: no reason to stop serving
      return supervise({
        config: config.value,
        pool,
        log,
        print: (text) => process.stdout.write(text),
        onStopSignal(action) {
          process.on('SIGTERM', action)
          process.on('SIGINT', action)
          // Started with a channel to its parent, it does not outlive it.
          process.on('disconnect', () => action('the end of the parent process'))
        },
        exit: (code) => process.exit(code),
      })
    }
  }
}

async function startPool({ workers, log: logConfig }: Config, log: Log): Promise<Pool> {
  keepNurserySmall(process.execArgv, process.env['NODE_OPTIONS'])
  const [{ createPool }, { ownMetrics }] = await Promise.all([
    import('./pool.ts'),
    import('./process-metrics.ts'),
  ])
  return createPool({ workers, log, logConfig, ownMetrics })
}

function refuse(message: string): number {
  process.stderr.write(`cluster-apiserver: ${message}\n`)
  return 2
}

nameSourcesInTraces()
process.exit(await run(process.argv.slice(2)))
