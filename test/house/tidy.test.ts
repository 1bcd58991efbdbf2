/**
 * How the house is kept, as a test: each ban names its replacement. Architecture: imports point one way,
 * `workers → src → store/contract`.
 */

import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { type Source, sources } from './sources.ts'

interface Ban {
  readonly what: RegExp
  readonly instead: string
  /** Paths in which the ban holds. */
  readonly within: RegExp
  readonly except?: RegExp
}

const product = /^(src|store|workers)\//

const bans: readonly Ban[] = [
  {
    what: /\bDate\.now\(|\bnew Date\(\)/,
    instead: 'the Clock that is handed in',
    within: /^(src|store)\//,
    except: /^store\/clock\.ts$/,
  },
  { what: /\bMath\.random\(/, instead: 'randomness that is handed in', within: product },
  {
    what: /(?<![\w.#])(setTimeout|setInterval)\((?!\w+:)/,
    instead: 'Clock.after',
    within: /^(src|store)\//,
    except: /^store\/clock\.ts$/,
  },
  {
    what: /\bFIXME\b|\bTODO\b|\bXXX\b/,
    instead: 'the behaviour',
    within: /\.(ts|proto)$/,
    except: /^test\/house\//,
  },
  {
    what: /\b(t|test)\.(skip|todo)\(|\b(skip|todo):\s*(true|['"])/,
    instead: 'a test that runs',
    within: /^test\//,
    except: /^test\/house\//,
  },
  {
    what: /['"`/.](k8s\.io|kubernetes\.io|cluster\.io)\b|vnd\.kubernetes/,
    instead: 'src/names: it alone knows the brands',
    within: /^(src|store|workers)\/.*\.ts$/,
    except: /^src\/names\//,
  },
  {
    what: /console\.(log|error|warn)\(/,
    instead: 'Log, or process.stdout in the command line',
    within: product,
  },
]

/** Who may import from where, by folder. `store` is closed but for its contract. */
function importAllowed(from: string, to: string): boolean {
  const [source] = from.split('/')
  const [target] = to.split('/')
  switch (source) {
    case 'store':
      return target === 'store'
    case 'src':
      return target === 'src' || to === 'store/contract.ts'
    case 'workers':
      return target === 'workers' || target === 'src' || target === 'store'
    default:
      return true
  }
}

function relativeImports(source: Source): readonly string[] {
  return [...source.text.matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+)'/g)].map((match) =>
    normalize(join(dirname(source.path), match[1] ?? '')),
  )
}

t.test('imports point one way: workers → src → store/contract', (t) => {
  const wrong = sources('.ts').flatMap((source) =>
    relativeImports(source)
      .filter((target) => !importAllowed(source.path, target))
      .map((target) => `${source.path} imports ${target}`),
  )
  t.same(wrong, [])
  t.end()
})

t.test('no imports in circles, of types neither', (t) => {
  const targets = new Map(sources('.ts').map((source) => [source.path, relativeImports(source)]))
  t.same(circlesIn(targets), [])
  t.end()
})

/** Each circle once, as `a → b → a`. */
function circlesIn(targets: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const walk = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path)
    if (start >= 0) circles.push([...way.slice(start), path].join(' → '))
    if (start >= 0 || done.has(path)) return
    for (const target of targets.get(path) ?? []) walk(target, [...way, path])
    done.add(path)
  }
  for (const path of targets.keys()) walk(path, [])
  return circles
}

t.test('a circle is seen', (t) => {
  const targets = { a: ['b', 'c'], b: ['c'], c: ['a'], d: ['a'] }
  t.same(circlesIn(new Map(Object.entries(targets))), ['a → b → c → a'])
  t.end()
})

/** `embed.ts` is what others import; the store's contracts are its own. */
const closed = /^(src|workers|bench|scripts|test)\/(?!embed\.ts$)/

const declaration = /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm
const importing = /\b(?:import|export) (?:type )?(?:\{([^}]*)\}|\* as \w+|\*) from '(\.{1,2}\/[^']+)'/g

t.test('what is exported is imported somewhere', (t) => {
  t.same(unusedExports(sources('.ts')), [])
  t.end()
})

t.test('an export that nobody imports is seen', (t) => {
  const a = {
    path: 'src/a.ts',
    text: 'export interface Kept {}\nexport const used = 1\nexport function lost() {}',
  }
  const b = { path: 'src/b.ts', text: "import { type Kept, used as other } from './a.ts'" }
  t.same(unusedExports([a, b]), ['src/a.ts: lost'])
  t.end()
})

function unusedExports(all: readonly Source[]): readonly string[] {
  const imported = new Set(all.flatMap(importedNames))
  return all
    .filter(({ path }) => closed.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(declaration)].flatMap(([, name = '']) =>
        imported.has(`${path} ${name}`) || imported.has(`${path} *`) ? [] : [`${path}: ${name}`],
      ),
    )
}

/** `src/a.ts used`; `*` where all of a file is imported. */
function importedNames({ path, text }: Source): readonly string[] {
  const named = [...text.matchAll(importing)].flatMap(([, names = '*', target = '']) =>
    names
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*/, ''),
      )
      .filter((name) => name !== '')
      .map((name) => `${normalize(join(dirname(path), target))} ${name}`),
  )
  const whole = [...text.matchAll(/\bimport\(\s*'(\.{1,2}\/[^']+)'/g)].map(
    ([, target = '']) => `${normalize(join(dirname(path), target))} *`,
  )
  return [...named, ...whole]
}

t.test('pure cores import nothing that touches the world', (t) => {
  const pure = /^(store\/raft|src\/(schema|apply|patch|names|status|types))\//
  const wrong = sources('.ts')
    .filter((source) => pure.test(source.path))
    .filter((source) => /from 'node:(fs|net|http|https|tls|child_process|cluster|dgram)/.test(source.text))
    .map((source) => source.path)
    .filter((path) => path !== 'src/schema/load.ts') // reads the compiled schemas, once
  t.same(wrong, [])
  t.end()
})

for (const ban of bans) {
  t.test(`instead of ${ban.what.source}: ${ban.instead}`, (t) => {
    const found = sources('.ts', '.proto')
      .filter((source) => ban.within.test(source.path) && !(ban.except?.test(source.path) ?? false))
      .flatMap((source) =>
        source.text
          .split('\n')
          .flatMap((line, at) =>
            ban.what.test(stripComment(line)) ? [`${source.path}:${at + 1}: ${line.trim()}`] : [],
          ),
      )
    t.same(found, [])
    t.end()
  })
}

/** Comments may name what code may not. */
function stripComment(line: string): string {
  return /^\s*(\/?\*|\/\/)/.test(line) ? '' : line
}

t.test('files stay readable: at most 500 lines', (t) => {
  const long = sources('.ts')
    .map((source) => ({ path: source.path, lines: source.text.split('\n').length }))
    .filter(({ lines }) => lines > 500)
  t.same(long, [])
  t.end()
})

t.test('the lock file carries no download addresses', (t) => {
  const [lock] = sources('package-lock.json')
  t.ok(lock, 'there is a lock file')
  t.notMatch(lock?.text ?? '', /"resolved": "http/)
  t.end()
})
