import { expect, test } from 'vitest'
import { chooseHotkey, type Hotkeys } from './choose-hotkey.ts'

const done: string[] = []
const keys = (...names: string[]): Hotkeys =>
  Object.fromEntries(names.map((name) => [name, () => void done.push(name)]))

function press(parts: readonly Hotkeys[], name: string, before: string | null = null, pauseMs = 100): string | null {
  done.length = 0
  const first = before === null ? null : { name: before, atMs: 0 }
  chooseHotkey(parts, first, { name, atMs: pauseMs })?.()
  return done[0] ?? null
}

test('a key does what the newest part says', () => {
  const newest: Hotkeys = { n: () => void done.push('newest') }
  expect(press([newest, keys('n')], 'n')).toBe('newest')
  expect(press([keys('a'), keys('n')], 'n')).toBe('n')
  expect(press([keys('a')], 'x')).toBeNull()
})

test('a pair goes before the single key, in whatever part it stands', () => {
  expect(press([keys('n'), keys('g n')], 'n', 'g')).toBe('g n')
})

test('a pair is over after a while', () => {
  expect(press([keys('g n')], 'n', 'g', 5_000)).toBeNull()
  expect(press([keys('n', 'g n')], 'n', 'g', 5_000)).toBe('n')
})
