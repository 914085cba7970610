import { describe, expect, test } from 'vitest'
import { formatSummary, readArguments } from '../scripts/test-parts.cjs'

describe('the parts of the full tier', () => {
  test.each([
    [[], ['full', 'postgres'], []],
    [
      ['llms', '-t', 'x'],
      ['full', 'postgres'],
      ['--passWithNoTests', 'llms', '-t', 'x'],
    ],
    [['--all'], ['full', 'acceptance', 'postgres-all'], []],
    [['--only', 'full'], ['full'], []],
    [['a', '--only=postgres', 'b'], ['postgres'], ['a', 'b']],
    [['a', '--only', 'postgres', 'b'], ['postgres'], ['a', 'b']],
  ])('of %j are %j, and vitest gets %j', (given, parts, vitestArguments) => {
    expect(readArguments(given)).toEqual({ parts, vitestArguments, problem: null })
  })

  test.each([[['--only']], [['--only', 'sqlite']], [['--only=']]])('there are none of %j', (given) => {
    expect(readArguments(given)).toMatchObject({ parts: [], problem: expect.stringContaining('full, postgres') })
  })
})

describe('the last lines of the full tier', () => {
  const postgres = { program: 'PostgreSQL 15 or newer', debianPackage: 'postgresql' }
  const redis = { program: 'Redis 6 or newer', debianPackage: 'redis-server' }
  const suite = (name: string, tests: number) => ({ suite: name, tests })

  test('are empty when nothing was skipped', () => {
    const runs = [
      { part: 'full', skippedSuites: [] },
      { part: 'postgres', skippedSuites: [] },
    ] as const
    expect(formatSummary({ runs, missing: [redis] })).toEqual({ lines: [], isComplete: true })
  })

  test('name suites, a part that could not run, and what the machine lacks', () => {
    const runs = [
      { part: 'full', skippedSuites: [suite('test/full/a.test.ts > a bus', 1), suite('b', 12)] },
      { part: 'postgres', skippedSuites: null },
    ] as const
    expect(formatSummary({ runs, missing: [postgres, redis] })).toEqual({
      lines: [
        'skipped: test/full/a.test.ts > a bus (1 test)',
        'skipped: b (12 tests)',
        'skipped: tests on PostgreSQL',
        'not found: PostgreSQL 15 or newer (Debian: apt-get install postgresql)',
        'not found: Redis 6 or newer (Debian: apt-get install redis-server)',
      ],
      isComplete: false,
    })
  })

  test('name what is left out on PostgreSQL, where nothing is missing', () => {
    const runs = [{ part: 'postgres', skippedSuites: [suite('a', 2)] }] as const
    expect(formatSummary({ runs, missing: [] })).toEqual({
      lines: ['skipped on PostgreSQL: a (2 tests)'],
      isComplete: true,
    })
  })
})
