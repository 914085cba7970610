import { expect, test } from 'vitest'
import { TurnRun } from '../turn/turn-run.ts'
import { TurnRegistry } from './turn-registry.ts'

/** A turn that was stopped before it started, with this many characters in its log. */
function finish(registry: TurnRegistry, turnId: string, characters = 1): void {
  const run = new TurnRun(turnId, 'chat')
  registry.add(run)
  run.dispatch({ type: 'left-queue' })
  Object.defineProperty(run.log, 'characters', { value: characters })
  registry.remove(run, null)
}

function keptIds(registry: TurnRegistry, ids: string): string {
  return [...ids].filter((id) => registry.find('chat', id) !== null).join('')
}

test('keeps the newest finished turns', () => {
  const registry = new TurnRegistry({ turns: 2, characters: 100 })
  for (const id of 'abc') finish(registry, id)
  expect(keptIds(registry, 'abc')).toBe('bc')
})

test('drops as many as a large one needs, even itself', () => {
  const registry = new TurnRegistry({ turns: 10, characters: 100 })
  for (const id of 'abc') finish(registry, id, 30)
  finish(registry, 'd', 60)
  expect(keptIds(registry, 'abcd')).toBe('cd')
  finish(registry, 'e', 101)
  expect(keptIds(registry, 'abcde')).toBe('')
  finish(registry, 'f', 100)
  expect(keptIds(registry, 'abcdef')).toBe('f')
})
