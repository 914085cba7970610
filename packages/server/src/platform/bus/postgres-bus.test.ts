import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPostgres, type PrivatePostgres, startPrivatePostgres } from '../../../../../testing/private-postgres.ts'
import { type BusSource, describeManyNodes, describeSingleNode, openNode } from './bus-contract-test-kit.ts'
import { createMessageAssembler, createPostgresBus, toFrames } from './postgres-bus.ts'

describe.skipIf(findPostgres() === null)('the bus over PostgreSQL', () => {
  let postgres: PrivatePostgres
  let url = ''
  beforeAll(async () => {
    postgres = await startPrivatePostgres()
    url = await postgres.createDatabase()
  })
  afterAll(async () => await postgres[Symbol.asyncDispose]())
  const source: BusSource = { open: createPostgresBus, url: () => url }
  describeSingleNode('PostgreSQL', source)
  describeManyNodes('PostgreSQL', source)

  test('reconnects after a killed server and reports it once', async () => {
    await using one = await openNode(source, 'one')
    await using two = await openNode(source, 'two')
    const { until } = two.collect('t')
    await postgres.kill('SIGKILL')
    await expect.poll(() => one.bus.getFault()).toMatch(/^PostgreSQL cannot be reached .+ \([\w ]+\)\.$/)
    await postgres.start()
    await expect.poll(() => [one.gaps(), two.gaps()], { timeout: 10_000 }).toEqual([1, 1])
    one.bus.publish('t', 'again')
    expect(await until(1)).toEqual(['again'])
  })
})

const anyText = fc
  .array(fc.constantFrom('a', 'ü', '漢', '👍', '\n', ' ', '0 0 1\n'), { maxLength: 40 })
  .chain((parts) => fc.integer({ min: 1, max: 1_500 }).map((times) => parts.join('').repeat(times)))

test('reassembles a text from frames that fit NOTIFY', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const frames = toFrames(9_007_199_254_740_991, text)
      expect(frames.every((frame) => Buffer.byteLength(frame) < 8_000)).toBe(true)
      const assembly = createMessageAssembler()
      const out = frames.map((frame) => assembly.add(1, frame))
      expect(out.slice(0, -1).every((one) => one === null)).toBe(true)
      expect(out.at(-1)).toBe(text)
    }),
    { numRuns: 60 },
  )
})

test('frames of several publishers may mix', () => {
  const assembly = createMessageAssembler()
  const [a, b] = ['a', 'b'].map((letter) => toFrames(1, letter.repeat(20_000)))
  const out = (a ?? []).flatMap((frame, part) => [assembly.add(1, frame), assembly.add(2, b?.[part] ?? '')])
  expect(out.filter((text) => text !== null)).toEqual(['a'.repeat(20_000), 'b'.repeat(20_000)])
})

test('drops a text with a missing part and delivers the next one', () => {
  const long = 'x'.repeat(40_000)
  for (let missing = 0; missing < toFrames(1, long).length; missing += 1) {
    const assembly = createMessageAssembler()
    const frames = [...toFrames(1, long).toSpliced(missing, 1), ...toFrames(2, 'short'), ...toFrames(3, long)]
    expect(frames.map((frame) => assembly.add(1, frame)).filter((text) => text !== null)).toEqual(['short', long])
  }
})

test('drops invalid frames and endless texts', () => {
  const assembly = createMessageAssembler()
  for (const frame of ['', 'hello', '1 0\nx', '1 5 3\nx', '1 2 2\nx', 'a 0 1\nx', `${'9'.repeat(20)} 0 1\nx`]) {
    expect(assembly.add(1, frame)).toBeNull()
  }
  for (let part = 0; part < 600; part += 1) assembly.add(1, `1 ${part} 601\n${'x'.repeat(7_900)}`)
  expect(assembly.add(1, '1 600 601\nx')).toBeNull()
})
