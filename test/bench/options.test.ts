import t from 'tap'
import { parseOptions, usage } from '../../bench/options.ts'

t.test('the command line', (t) => {
  t.match(parseOptions([]), { mode: 'measure', names: [], workers: 1, baseline: true, settings: { runs: 3 } })
  t.match(parseOptions(['get', 'fanout', '--quick', '--watchers', '1,2', '--seconds=0.5']), {
    names: ['get', 'fanout'],
    settings: { runs: 1, watchers: [1, 2], windowMs: 500 },
  })
  t.match(parseOptions(['--compare', 'a.json', 'b.json']), { mode: 'compare', names: ['a.json', 'b.json'] })
  t.end()
})

t.test('what is wrong with it', (t) => {
  const table: [string[], RegExp][] = [
    [['--runs', '0'], /^--runs 0: expected a number above 0$/],
    [['--watchers', '1,x'], /^--watchers x: expected a number above 0$/],
    [['--nope'], /Unknown option '--nope'/],
    [['--compare', 'a.json'], /two report files/],
    [['--pid', '1'], /needs --server/],
    [['--server', 'https://127.0.0.1', '--serve-flag=--x'], /not with --server/],
  ]
  for (const [args, message] of table) t.throws(() => parseOptions(args), { message }, args.join(' '))
  t.end()
})

t.test('every flag is in the help', (t) => {
  const named = [
    'server',
    'kubeconfig',
    'token',
    'ca',
    'name',
    'workers',
    'runs',
    'clients',
    'instructions',
    'reference',
    'out',
    'compare',
  ]
  for (const flag of named) {
    t.match(usage, `--${flag}`)
  }
  t.end()
})
