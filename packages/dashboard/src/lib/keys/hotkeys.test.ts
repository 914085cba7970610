import { expect, test } from 'vitest'
import { findHotkey, type Hotkeys } from './hotkeys.ts'

const done: string[] = []
const createHotkeys = (...names: string[]): Hotkeys =>
  Object.fromEntries(names.map((name) => [name, () => void done.push(name)]))

function press(
  components: readonly Hotkeys[],
  name: string,
  before: string | null = null,
  pauseMs = 100,
): string | null {
  done.length = 0
  const first = before === null ? null : { name: before, atMs: 0 }
  findHotkey(components, first, { name, atMs: pauseMs })?.()
  return done[0] ?? null
}

test('the newest component wins', () => {
  const latest: Hotkeys = { n: () => void done.push('latest') }
  expect(press([latest, createHotkeys('n')], 'n')).toBe('latest')
  expect(press([createHotkeys('a'), createHotkeys('n')], 'n')).toBe('n')
  expect(press([createHotkeys('a')], 'x')).toBeNull()
})

test('a pair wins over a single key of a newer component', () => {
  expect(press([createHotkeys('n'), createHotkeys('g n')], 'n', 'g')).toBe('g n')
})

test('a pair expires', () => {
  expect(press([createHotkeys('g n')], 'n', 'g', 5_000)).toBeNull()
  expect(press([createHotkeys('n', 'g n')], 'n', 'g', 5_000)).toBe('n')
})
