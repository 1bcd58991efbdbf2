/**
 * The command line of the bench.
 */

import { parseArgs } from 'node:util'
import { fullSettings, quickSettings, type Settings } from './scenarios/scenario.ts'

export const usage = `npm run bench -- [scenario…] [flags]

Without --server or --kubeconfig, starts this project's server with an empty temporary data directory.
A scenario's name stands for all that go on after a dash: \`fanout\` for \`fanout-rate-1000\`. None = all.

What is measured
  --server URL          a server of the API that runs already; its objects are made in namespaces of the bench's own
  --kubeconfig FILE     the same, with the credentials of the file's current context
  --token T             bearer token
  --ca FILE             authority of the server's certificate (PEM)
  --cert, --key FILE    client certificate and its key (PEM)
  --insecure            do not check the server's certificate
  --name TEXT           what that server is called in tables and plots
  --pid N[,N…]          processes of that server on this machine, for its processor time and memory
  --workers N           workers of the server started here (1); 0 = all in one process
  --serve-flag FLAG     one more flag for the server started here (as --serve-flag=--x=y)
  --no-baseline         leave out the bare Node HTTPS server
  --floors              measure more: the bare server, its writes synced to a file, and through link and store; its
                        events as bytes for the TLS sockets, past Node's HTTP

How it is measured
  --quick               one short run of each scenario, fewer watchers
  --runs N              runs of each scenario; figures are medians (3)
  --seconds S           length of a run's measured window (3)
  --connections N       requests in flight, each on its own connection (32)
  --watchers N[,N…]     fan-out sizes (10,100,1000,5000)
  --idle N              idle watches (10000)
  --growth N[,N…]       numbers of objects among which costs are measured (1000,10000,100000)
  --objects N           objects in lists and in the memory scenario (10000)
  --clients N           threads of the generator that share a scenario's load, each on a core of its own (1)
  --instructions        count the server's instructions in user mode, too (needs perf)

What comes out
  --reference FILE      report of another server on this machine: its figures beside these, and goals as shares of them
  --out DIR             report.json and plots go there (dist/bench-report)
  --compare A B         measure nothing; print and plot (ratios.svg) how report B stands to report A
  --list                measure nothing; name the scenarios
  --help
`

export interface Options {
  readonly mode: 'measure' | 'compare' | 'list' | 'help'
  /** Scenario names; with \`compare\`, two files. */
  readonly names: readonly string[]
  readonly settings: Settings
  readonly server: string | undefined
  readonly kubeconfig: string | undefined
  readonly token: string | undefined
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
  readonly insecure: boolean
  readonly pids: readonly number[]
  readonly workers: number
  readonly serveFlags: readonly string[]
  readonly baseline: boolean
  /** Measure what durability and TLS cost the bare server, too. */
  readonly floors: boolean
  readonly name: string | undefined
  /** A report file. */
  readonly reference: string | undefined
  readonly out: string
}

const flags = {
  server: { type: 'string' },
  kubeconfig: { type: 'string' },
  token: { type: 'string' },
  ca: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  insecure: { type: 'boolean', default: false },
  pid: { type: 'string' },
  workers: { type: 'string', default: '1' },
  'serve-flag': { type: 'string', multiple: true, default: [] as string[] },
  'no-baseline': { type: 'boolean', default: false },
  floors: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  runs: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string' },
  watchers: { type: 'string' },
  idle: { type: 'string' },
  growth: { type: 'string' },
  objects: { type: 'string' },
  clients: { type: 'string' },
  instructions: { type: 'boolean', default: false },
  name: { type: 'string' },
  reference: { type: 'string' },
  out: { type: 'string', default: 'dist/bench-report' },
  compare: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

/** Throws, with a message for people, on flags that are unknown, malformed or at odds. */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({ args: [...args], options: flags, allowPositionals: true })
  const basis = values.quick ? quickSettings : fullSettings
  const objects = optional('objects', values.objects)
  const settings: Settings = {
    ...basis,
    runs: optional('runs', values.runs) ?? basis.runs,
    windowMs: (optional('seconds', values.seconds) ?? basis.windowMs / 1000) * 1000,
    connections: optional('connections', values.connections) ?? basis.connections,
    watchers: values.watchers === undefined ? basis.watchers : numbers('watchers', values.watchers),
    idleWatches: optional('idle', values.idle) ?? basis.idleWatches,
    growthObjects: values.growth === undefined ? basis.growthObjects : numbers('growth', values.growth),
    listObjects: objects ?? basis.listObjects,
    memoryObjects: objects ?? basis.memoryObjects,
    clients: optional('clients', values.clients) ?? basis.clients,
    instructions: values.instructions,
  }
  const isForeign = values.server !== undefined || values.kubeconfig !== undefined
  if (isForeign && values['serve-flag'].length > 0) {
    throw new Error('--serve-flag is for the server started here: not with --server or --kubeconfig')
  }
  if (!isForeign && values.pid !== undefined) throw new Error('--pid needs --server or --kubeconfig')
  if (values.compare && positionals.length !== 2) throw new Error('--compare takes two report files')
  return {
    mode: values.help ? 'help' : values.list ? 'list' : values.compare ? 'compare' : 'measure',
    names: positionals,
    settings,
    server: values.server,
    kubeconfig: values.kubeconfig,
    token: values.token,
    ca: values.ca,
    cert: values.cert,
    key: values.key,
    insecure: values.insecure,
    pids: values.pid === undefined ? [] : numbers('pid', values.pid),
    // 0 = one process for everything, as `serve` has it.
    workers: values.workers === '0' ? 0 : positive('workers', values.workers),
    serveFlags: values['serve-flag'],
    baseline: !values['no-baseline'],
    floors: values.floors,
    name: values.name,
    reference: values.reference,
    out: values.out,
  }
}

function optional(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : positive(flag, text)
}

function numbers(flag: string, text: string): readonly number[] {
  return text.split(',').map((part) => positive(flag, part))
}

function positive(flag: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${flag} ${text}: expected a number above 0`)
  return value
}
