/** Tells stories to a server, each in a namespace of its own, and checks every answer. */

import type { Test } from 'tap'
import { differences } from './match.ts'
import type { Body, ServerUnderTest, SuiteNames, TestAnswer } from './server-under-test.ts'
import { absent, type Pattern, type Step, type Story } from './story.ts'

type Saved = Map<string, string>

export async function tellStories(
  t: Test,
  server: ServerUnderTest,
  names: SuiteNames,
  stories: readonly Story[],
  prefix: string,
): Promise<void> {
  for (const [index, story] of stories.entries()) {
    await t.test(story.name, async (t) => {
      const ns = `${prefix}-${index}`
      await server.request({ method: 'POST', target: '/api/v1/namespaces', body: { metadata: { name: ns } } })
      const saved: Saved = new Map([['ns', ns], ...Object.entries(names)])
      for (const step of story.steps) await takeStep(t, server, step, saved)
    })
  }
}

async function takeStep(t: Test, server: ServerUnderTest, step: Step, saved: Saved): Promise<void> {
  const line = fill(step.send, saved)
  const space = line.indexOf(' ')
  const answer = await server.request({
    method: line.slice(0, space),
    target: line.slice(space + 1),
    ...(step.headers === undefined ? {} : { headers: fillHeaders(step.headers, saved) }),
    ...(step.body === undefined ? {} : { body: fillBody(step.body, saved) }),
    ...(step.as === undefined ? {} : { as: step.as }),
  })
  const problems = judge(step, answer, saved)
  const shown = answer.body.toString('utf8').slice(0, 600)
  t.same(problems, [], `${line.slice(0, 150)} → ${step.status}`, problems.length > 0 ? { answer: shown } : {})
  keep(step, answer, saved)
}

function judge(step: Step, answer: TestAnswer, saved: Saved): readonly string[] {
  const problems: string[] = []
  if (answer.status !== step.status) problems.push(`status: found ${answer.status}, expected ${step.status}`)
  for (const [name, pattern] of Object.entries(step.answerHeaders ?? {})) {
    const found = answer.headers[name]
    const text = found === undefined || typeof found === 'string' ? found : found.join(', ')
    problems.push(...differences(text, fillPattern(pattern, saved), `header ${name}`))
  }
  if (step.json !== undefined)
    problems.push(...differences(parse(answer.body), fillPattern(step.json, saved)))
  const text = answer.body.toString('utf8')
  for (const part of step.text ?? [])
    if (!text.includes(fill(part, saved))) problems.push(`the text does not hold ${JSON.stringify(part)}`)
  return problems
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return `not JSON: ${body.toString('utf8').slice(0, 200)}`
  }
}

function keep({ save = {} }: Step, { body }: TestAnswer, saved: Saved): void {
  for (const [name, path] of Object.entries(save)) {
    let value: unknown = parse(body)
    for (const member of path.split('.')) {
      const members = typeof value === 'object' && value !== null ? value : {}
      value = new Map<string, unknown>(Object.entries(members)).get(member)
    }
    saved.set(name, String(value))
  }
}

/** `{name}` → its saved value; other braces stay. */
function fill(text: string, saved: ReadonlyMap<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => saved.get(name) ?? whole)
}

function fillHeaders(headers: Readonly<Record<string, string>>, saved: Saved): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, saved)]))
}

function fillBody(body: Body, saved: Saved): Body {
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return fill(body, saved)
  const filled: object = JSON.parse(fill(JSON.stringify(body), saved))
  return filled
}

function fillPattern(pattern: Pattern, saved: Saved): Pattern {
  if (typeof pattern === 'string') return fill(pattern, saved)
  if (pattern === absent || pattern instanceof RegExp || typeof pattern !== 'object' || pattern === null)
    return pattern
  if (Array.isArray(pattern)) return pattern.map((one: Pattern) => fillPattern(one, saved))
  return Object.fromEntries(
    Object.entries(pattern).map(([name, one]: [string, Pattern]) => [name, fillPattern(one, saved)]),
  )
}
