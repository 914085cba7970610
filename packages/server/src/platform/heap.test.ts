import { expect, test } from 'vitest'
import { shrinkHeap } from './heap.ts'

test('resumes all waiting work at once', async () => {
  const held = { size: 1 }
  const weak = { held: new WeakRef(held), dropped: new WeakRef({ size: 1 }) }
  // What a weak reference was made of in this turn of the event loop stays until its end.
  await new Promise((resolve) => setImmediate(resolve))
  shrinkHeap()
  expect([weak.held.deref(), weak.dropped.deref()]).toEqual([held, undefined])
})
