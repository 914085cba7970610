import { describe, expect, test } from 'vitest'
import type { StreamFrame } from '../../../kernel/api/implement.ts'
import { TurnLog } from './turn-log.ts'

const delta = (text: string) => ({ event: 'message.delta' as const, data: { text } })
/** Lets what the log scheduled happen. */
const flushTicks = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

function reader() {
  const packets: (readonly StreamFrame[])[] = []
  let ended = 0
  return {
    packets,
    ids: () => packets.flat().map((frame) => frame.id),
    ended: () => ended,
    sink: {
      send: (frames: readonly StreamFrame[]) => void packets.push(frames),
      end: (frames: readonly StreamFrame[]) => {
        packets.push(frames)
        ended += 1
      },
    },
  }
}

describe('TurnLog', () => {
  test('events of one go leave in one packet, numbered from 1', async () => {
    const log = new TurnLog()
    const live = reader()
    log.read(live.sink, 0)
    log.append(delta('a'))
    log.append(delta('b'))
    await flushTicks()
    expect(live.packets).toHaveLength(1)
    expect(live.packets[0]).toEqual([
      { id: 1, event: 'message.delta', data: '{"text":"a"}' },
      { id: 2, event: 'message.delta', data: '{"text":"b"}' },
    ])
  })

  test('a reader that comes late gets what it has not seen, then the live events, each once', async () => {
    const log = new TurnLog()
    for (const text of ['a', 'b', 'c']) log.append(delta(text))
    const late = reader()
    log.read(late.sink, 1)
    log.append(delta('d'))
    log.close()
    await flushTicks()
    expect(late.ids()).toEqual([2, 3, 4])
    expect(late.ended()).toBe(1)
  })

  test('a reader of a closed log gets everything and is closed', () => {
    const log = new TurnLog()
    log.append(delta('a'))
    log.close()
    const late = reader()
    log.read(late.sink, 0)
    expect(late.ids()).toEqual([1])
    expect(late.ended()).toBe(1)
  })

  test('held events wait until they may be shown, then leave together', async () => {
    const log = new TurnLog()
    const live = reader()
    log.holdEvents()
    log.append(delta('a'))
    log.read(live.sink, 0)
    log.append(delta('b'))
    await flushTicks()
    expect(live.ids()).toEqual([])
    log.showAll()
    await flushTicks()
    expect(live.packets).toHaveLength(1)
    expect(live.ids()).toEqual([1, 2])
  })

  test('held events that are dropped are never sent', async () => {
    const log = new TurnLog()
    const live = reader()
    log.holdEvents()
    log.append(delta('never'))
    log.read(live.sink, 0)
    log.discardHeld()
    log.append(delta('instead'))
    await flushTicks()
    expect(live.packets.flat()).toEqual([{ id: 1, event: 'message.delta', data: '{"text":"instead"}' }])
  })

  test('a reader that leaves gets nothing more and disturbs nobody', async () => {
    const log = new TurnLog()
    const [leaving, staying] = [reader(), reader()]
    const leave = log.read(leaving.sink, 0)
    log.read(staying.sink, 0)
    leave()
    log.append(delta('a'))
    await flushTicks()
    expect(leaving.packets).toEqual([])
    expect(staying.ids()).toEqual([1])
  })

  test('a reader that has seen more than the log knows yet gets only what comes after', async () => {
    const log = new TurnLog()
    const resumed = reader()
    log.read(resumed.sink, 2)
    log.feed([1, 2, 3].map((id) => ({ id, event: 'message.delta', data: '{}' })))
    await flushTicks()
    log.append(delta('d'))
    await flushTicks()
    expect(resumed.ids()).toEqual([3, 4])
  })

  test('readers get no more than is shown, and the end only with the last event', async () => {
    const log = new TurnLog()
    const live = reader()
    let changes = 0
    log.read(live.sink, 0)
    log.append(delta('a'))
    log.limit(1, () => {
      changes += 1
    })
    log.append(delta('b'))
    log.close()
    await flushTicks()
    expect([live.ids(), live.ended(), changes]).toEqual([[1], 0, 2])
    log.show(2)
    await flushTicks()
    expect([live.ids(), live.ended()]).toEqual([[1, 2], 1])
  })

  test('an abandoned log closes its readers without the events that were not shown', async () => {
    const log = new TurnLog()
    const live = reader()
    log.read(live.sink, 0)
    log.append(delta('a'))
    log.limit(1, () => {})
    log.append(delta('b'))
    log.abandon()
    await flushTicks()
    expect([live.ids(), live.ended()]).toEqual([[1], 1])
  })

  test('a log made of a past turn ends with the number that the turn ended with', () => {
    const log = new TurnLog(100)
    log.append(delta('a'))
    log.append(delta('b'))
    log.close()
    const [resumed, early, done] = [reader(), reader(), reader()]
    log.read(resumed.sink, 57)
    log.read(early.sink, 100)
    log.read(done.sink, 101)
    expect(resumed.ids()).toEqual([100, 101])
    expect(early.ids()).toEqual([101])
    expect(done.ids()).toEqual([])
    expect(done.ended()).toBe(1)
  })
})
