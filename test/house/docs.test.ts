/** What the documentation names is there: files, links, flags, options. */

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { commands } from '../../workers/commands/table.ts'
import { flags } from '../../workers/flags/table.ts'
import { root, type Source, sources } from './sources.ts'

const pages = sources('.md')

function missing(found: (page: Source) => readonly string[]): readonly string[] {
  return pages.flatMap((page) => found(page).map((what) => `${page.path}: ${what}`))
}

function all(page: Source, pattern: RegExp): readonly string[] {
  return [...page.text.matchAll(pattern)].map(([, found = '']) => found)
}

t.test('links lead somewhere', (t) => {
  const absent = missing((page) =>
    all(page, /\]\(([^)#\s]+)(?:#[^)]*)?\)/g)
      .filter((target) => !target.startsWith('http'))
      .filter((target) => !existsSync(join(root, dirname(page.path), target))),
  )
  t.same(absent, [])
  t.end()
})

t.test('headings that links name are there', (t) => {
  const absent = missing((page) =>
    [...page.text.matchAll(/\]\(([^)#\s]*)#([^)]+)\)/g)]
      .filter(([, target = '', anchor = '']) => {
        const path = target === '' ? page.path : join(dirname(page.path), target)
        return !headingsOf(path).includes(anchor)
      })
      .map(([link]) => link),
  )
  t.same(absent, [])
  t.end()
})

function headingsOf(path: string): readonly string[] {
  const page = pages.find((one) => one.path === path)
  return (page === undefined ? [] : all(page, /^#+ (.*)$/gm)).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  )
}

t.test('files and folders that are named are there', (t) => {
  const absent = missing((page) =>
    all(page, /`((?:src|store|workers|test|bench|scripts)\/[\w./-]*)`/g).filter(
      (path) => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.test.ts`)),
    ),
  )
  t.same(absent, [])
  t.end()
})

t.test('flags that are named are there', (t) => {
  const known = new Set([
    ...Object.keys(flags),
    ...Object.values(commands).flatMap((command) => Object.keys(command.flags)),
    'help',
    'version',
  ])
  const operators = pages.filter(({ path }) => /^(README|docs\/(operations|security|embedding))/.test(path))
  const absent = operators.flatMap((page) => flagsIn(ownLines(page.text)).filter((name) => !known.has(name)))
  t.same(absent, [])
  t.end()
})

/** Without what is said to other programs. */
function ownLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/\b(kubectl|docker|npm) /.test(line))
    .join('\n')
}

/** Whole names: `--oidc-*` and `--cluster-signing-…` stand for several. */
function flagsIn(text: string): readonly string[] {
  return [...text.matchAll(/--([a-z][a-z0-9-]*)([*…]?)/g)].flatMap(([, name = '', more]) =>
    more === '' ? [name] : [],
  )
}

t.test('every option and every member of an embedded control plane is described', (t) => {
  const page = readFileSync(join(root, 'docs/embedding.md'), 'utf8')
  const text = readFileSync(join(root, 'workers/embed.ts'), 'utf8')
  for (const name of ['ControlPlaneOptions', 'ControlPlane']) {
    const body = text.split(`export interface ${name} {`)[1]?.split('\n}')[0] ?? ''
    const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?(]?/gm)].map(([, member = '']) => member)
    t.ok(members.length > 5, `${name} was read`)
    for (const member of members) t.match(page, new RegExp(`\`${member}[\`(]`), `${name}.${member}`)
  }
  t.end()
})
