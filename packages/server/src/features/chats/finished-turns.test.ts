import { expect, test } from 'vitest'
import { FinishedTurns } from './finished-turns.ts'

const turn = (turnId: string, characters = 1) => ({ turnId, log: { characters } })

function kept(turns: FinishedTurns<ReturnType<typeof turn>>, ids: string): string {
  return [...ids].filter((id) => turns.get(id) !== undefined).join('')
}

test('keeps the newest turns', () => {
  const turns = new FinishedTurns<ReturnType<typeof turn>>({ turns: 2, characters: 100 })
  for (const id of 'abc') turns.keep(turn(id))
  expect(kept(turns, 'abc')).toBe('bc')
})

test('lets as many go as a large one needs, even itself', () => {
  const turns = new FinishedTurns<ReturnType<typeof turn>>({ turns: 10, characters: 100 })
  for (const id of 'abc') turns.keep(turn(id, 30))
  turns.keep(turn('d', 60))
  expect(kept(turns, 'abcd')).toBe('cd')
  turns.keep(turn('e', 101))
  expect(kept(turns, 'abcde')).toBe('')
  turns.keep(turn('f', 100))
  expect(kept(turns, 'abcdef')).toBe('f')
})
