/**
 * Build step: puts the compiled modules of the server together in `bundle/` beside them. These files are what is run:
 * `main.js` and `worker.js` as processes, `embed.js` within others. Node finds, reads and links modules one by one, and
 * there are hundreds; what is loaded on demand stays apart.
 *
 *     node <outdir>/scripts/bundle.js
 *
 * Nothing is done when no file that went into the last bundle has changed.
 */

import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'

const here = fileURLToPath(import.meta.url)
const compiled = join(dirname(here), '..')
const target = join(compiled, 'bundle')
/** What went in, one path a line, and when: the time of this file. */
const inputsFile = join(target, 'inputs.txt')
/** Says which versions of libraries went in; their files are as old as npm likes. */
const lockFile = join(compiled, '..', 'package-lock.json')

/** Libraries of many modules that a start needs, each put into a file of its own, to be required when it is needed. */
const libraries = [{ name: '@peculiar/x509', file: 'x509.cjs', requiredBy: /certificates[\\/]library\.js$/ }]

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  metafile: true,
} satisfies BuildOptions

const requireFilesOfLibraries: Plugin = {
  name: 'require the files of libraries',
  setup(build) {
    for (const { name, file, requiredBy } of libraries) {
      build.onLoad({ filter: requiredBy }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        const contents = text.replace(`require('${name}')`, `require('./${file}')`)
        if (contents === text) throw new Error(`${path} does not require ${name}`)
        return { contents, loader: 'js' }
      })
    }
  },
}

function isFresh(): boolean {
  try {
    const madeMs = statSync(inputsFile).mtimeMs
    return readFileSync(inputsFile, 'utf8')
      .split('\n')
      .every((input) => statSync(input).mtimeMs < madeMs)
  } catch {
    return false // there is none, or one of its sources has gone
  }
}

function inputsOf({ inputs }: Metafile): readonly string[] {
  return Object.keys(inputs)
    .filter((input) => input !== '<stdin>')
    .map((input) => join(process.cwd(), input))
}

async function bundle(): Promise<void> {
  const { build } = await import('esbuild')
  rmSync(target, { recursive: true, force: true })
  const made = await Promise.all([
    // What is embedded shares nothing with the processes: dozens of files more, and each a few turns of the event loop.
    ...[['main', 'worker'], ['embed']].map((names) =>
      build({
        ...common,
        entryPoints: names.map((name) => join(compiled, 'workers', `${name}.js`)),
        outdir: target,
        format: 'esm',
        splitting: true,
        chunkNames: '[name]-[hash]',
        packages: 'external',
        plugins: [requireFilesOfLibraries],
        sourcemap: true,
        sourcesContent: false,
      }),
    ),
    ...libraries.map(({ name, file }) =>
      build({
        ...common,
        stdin: { contents: `export * from '${name}'`, resolveDir: compiled },
        outfile: join(target, file),
        format: 'cjs',
        // Of a module only what is used goes in, of CommonJS everything.
        mainFields: ['module', 'main'],
        legalComments: 'eof',
      }),
    ),
  ])
  const inputs = new Set(made.flatMap(({ metafile }) => inputsOf(metafile)))
  writeFileSync(inputsFile, [here, lockFile, ...inputs].join('\n'))
}

if (!isFresh()) await bundle()
