import { describe, expect, test } from 'vitest'
import type { StreamFrame } from '../../../kernel/api/implement.ts'
import { TurnLog } from './turn-log.ts'

const toDelta = (text: string) => ({ event: 'message.delta' as const, data: { text } })
const flushTicks = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

function createReader() {
  const packets: (readonly StreamFrame[])[] = []
  let endCount = 0
  return {
    packets,
    listIds: () => packets.flat().map((frame) => frame.id),
    getEndCount: () => endCount,
    sink: {
      send: (frames: readonly StreamFrame[]) => void packets.push(frames),
      end: (frames: readonly StreamFrame[]) => {
        packets.push(frames)
        endCount += 1
      },
    },
  }
}

describe('TurnLog', () => {
  test('sends events of the same tick in one packet, numbered from 1', async () => {
    const log = new TurnLog()
    const liveReader = createReader()
    log.read(liveReader.sink, 0)
    log.append(toDelta('a'))
    log.append(toDelta('b'))
    await flushTicks()
    expect(liveReader.packets).toHaveLength(1)
    expect(liveReader.packets[0]).toEqual([
      { id: 1, event: 'message.delta', data: '{"text":"a"}' },
      { id: 2, event: 'message.delta', data: '{"text":"b"}' },
    ])
  })

  test('a late reader gets missed events, then live events, each once', async () => {
    const log = new TurnLog()
    for (const text of ['a', 'b', 'c']) log.append(toDelta(text))
    const lateReader = createReader()
    log.read(lateReader.sink, 1)
    log.append(toDelta('d'))
    log.close()
    await flushTicks()
    expect(lateReader.listIds()).toEqual([2, 3, 4])
    expect(lateReader.getEndCount()).toBe(1)
  })

  test('a reader of a closed log gets everything and is closed', () => {
    const log = new TurnLog()
    log.append(toDelta('a'))
    log.close()
    const lateReader = createReader()
    log.read(lateReader.sink, 0)
    expect(lateReader.listIds()).toEqual([1])
    expect(lateReader.getEndCount()).toBe(1)
  })

  test('hidden events are sent together when they are shown', async () => {
    const log = new TurnLog()
    const liveReader = createReader()
    log.hideEvents()
    log.append(toDelta('a'))
    log.read(liveReader.sink, 0)
    log.append(toDelta('b'))
    await flushTicks()
    expect(liveReader.listIds()).toEqual([])
    log.showAll()
    await flushTicks()
    expect(liveReader.packets).toHaveLength(1)
    expect(liveReader.listIds()).toEqual([1, 2])
  })

  test('discarded events are never sent', async () => {
    const log = new TurnLog()
    const liveReader = createReader()
    log.hideEvents()
    log.append(toDelta('never'))
    log.read(liveReader.sink, 0)
    log.discardHiddenEvents()
    log.append(toDelta('instead'))
    await flushTicks()
    expect(liveReader.packets.flat()).toEqual([{ id: 1, event: 'message.delta', data: '{"text":"instead"}' }])
  })

  test('a stopped reader gets no more events and does not affect others', async () => {
    const log = new TurnLog()
    const [stoppedReader, otherReader] = [createReader(), createReader()]
    const stopReading = log.read(stoppedReader.sink, 0)
    log.read(otherReader.sink, 0)
    stopReading()
    log.append(toDelta('a'))
    await flushTicks()
    expect(stoppedReader.packets).toEqual([])
    expect(otherReader.listIds()).toEqual([1])
  })

  test('a reader ahead of the log gets only later events', async () => {
    const log = new TurnLog()
    const resumedReader = createReader()
    log.read(resumedReader.sink, 2)
    log.appendFrames([1, 2, 3].map((id) => ({ id, event: 'message.delta', data: '{}' })))
    await flushTicks()
    log.append(toDelta('d'))
    await flushTicks()
    expect(resumedReader.listIds()).toEqual([3, 4])
  })

  test('readers see only shown events, and the end only with the last event', async () => {
    const log = new TurnLog()
    const liveReader = createReader()
    let appendCount = 0
    log.read(liveReader.sink, 0)
    log.append(toDelta('a'))
    log.limitVisibility(1, () => {
      appendCount += 1
    })
    log.append(toDelta('b'))
    log.close()
    await flushTicks()
    expect([liveReader.listIds(), liveReader.getEndCount(), appendCount]).toEqual([[1], 0, 2])
    log.show(2)
    await flushTicks()
    expect([liveReader.listIds(), liveReader.getEndCount()]).toEqual([[1, 2], 1])
  })

  test('an abandoned log closes its readers without hidden events', async () => {
    const log = new TurnLog()
    const liveReader = createReader()
    log.read(liveReader.sink, 0)
    log.append(toDelta('a'))
    log.limitVisibility(1, () => {})
    log.append(toDelta('b'))
    log.abandon()
    await flushTicks()
    expect([liveReader.listIds(), liveReader.getEndCount()]).toEqual([[1], 1])
  })

  test("the log of a past turn ends with the turn's last number", () => {
    const log = new TurnLog(100)
    log.append(toDelta('a'))
    log.append(toDelta('b'))
    log.close()
    const [resumedReader, earlyReader, finishedReader] = [createReader(), createReader(), createReader()]
    log.read(resumedReader.sink, 57)
    log.read(earlyReader.sink, 100)
    log.read(finishedReader.sink, 101)
    expect(resumedReader.listIds()).toEqual([100, 101])
    expect(earlyReader.listIds()).toEqual([101])
    expect(finishedReader.listIds()).toEqual([])
    expect(finishedReader.getEndCount()).toBe(1)
  })
})
