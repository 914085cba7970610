import { expect, test } from 'vitest'
import { findHotkey, type Hotkeys } from './hotkeys.ts'

const calls: string[] = []
const createHotkeys = (...names: string[]): Hotkeys =>
  Object.fromEntries(names.map((name) => [name, () => void calls.push(name)]))

function press(
  components: readonly Hotkeys[],
  name: string,
  previousKey: string | null = null,
  pauseMs = 100,
): string | null {
  calls.length = 0
  const previous = previousKey === null ? null : { name: previousKey, timestampMs: 0 }
  findHotkey(components, previous, { name, timestampMs: pauseMs })?.()
  return calls[0] ?? null
}

test('the newest component takes precedence', () => {
  const newest: Hotkeys = { n: () => void calls.push('latest') }
  expect(press([newest, createHotkeys('n')], 'n')).toBe('latest')
  expect(press([createHotkeys('a'), createHotkeys('n')], 'n')).toBe('n')
  expect(press([createHotkeys('a')], 'x')).toBeNull()
})

test('a key pair takes precedence over a single key of a newer component', () => {
  expect(press([createHotkeys('n'), createHotkeys('g n')], 'n', 'g')).toBe('g n')
})

test('a key pair expires', () => {
  expect(press([createHotkeys('g n')], 'n', 'g', 5_000)).toBeNull()
  expect(press([createHotkeys('n', 'g n')], 'n', 'g', 5_000)).toBe('n')
})
